#!/usr/bin/env python3
"""Runs the simulator's sample kernels under NVIDIA's compute-sanitizer, and says what each tool finds.

    python3 tests/sanitizer/compare.py [SAMPLE...]        needs a GPU, nvcc and compute-sanitizer

For every `.cu` in tests/sim and tests/sim/defects it writes a program that launches the kernel as
the comment at the file's head says, builds it with nvcc, and runs it under memcheck, racecheck,
initcheck and synccheck. What the simulator finds is what the head declares (`finding: R001`), which
`cargo test` holds. The table is printed; one such run is kept in table.md.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "sim"
TOOLS = {
    "memcheck": [],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
# Programs that hang on a GPU are part of the samples.
SECONDS = 25
CTYPES = {
    "i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short",
    "i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long",
    "f16": "__half", "bf16": "__nv_bfloat16", "f32": "float", "f64": "double",
}


class Sample:
    """What the head of a sample says; the form is described in tests/sim/sample.rs."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.source = path.read_text()
        self.grid, self.block, self.shared = "1", "1", "0"
        self.cooperative = False
        self.options = []
        self.arguments = []  # (kind, name, text)
        self.findings = []
        for line in self.source.splitlines():
            if not line.startswith("//"):
                break
            line = line[2:].lstrip()
            match = re.match(r"(launch|cooperative|options|finding|in|inout|out|arg)( \w+)?: ?(.*)", line)
            if not match:
                continue
            key, name, value = match[1], (match[2] or "").strip(), match[3]
            if key == "launch":
                words = value.split()
                for what, number in zip(words[::2], words[1::2]):
                    setattr(self, what, number)
            elif key == "cooperative":
                self.cooperative = value == "yes"
            elif key == "options":
                self.options = value.split()
            elif key == "finding":
                self.findings.append(value)
            else:
                self.arguments.append((key, name, value))

    def kernel(self):
        return re.search(r"__global__[^;{(]*?(?:__launch_bounds__\([^)]*\)\s*)?[^;{(]*?(\w+)\s*\(", self.source)[1]

    def program(self):
        """A program that launches the kernel as the head says."""
        headers = ["cmath", "cstdio", "vector"]
        if any(re.search(r": (struct .*)?b?f16", f": {text}") for _, _, text in self.arguments):
            headers += ["cuda_fp16.h", "cuda_bf16.h"]
        # Under a name of its own: a kernel may be called as a function of the C++ library is.
        source = re.sub(rf"\b{self.kernel()}\b", "kernel_of_the_sample", self.source)
        out = [
            *(f"#include <{header}>" for header in headers),
            f'#line 1 "{self.path.name}"',
            source,
            '#line 1 "main"',
            "int main() {",
            *(f"    using {name} = {ctype};" for name, ctype in CTYPES.items() if name not in ("f16", "bf16")),
            "    std::vector<void *> arguments;",
        ]
        after = []
        for kind, name, text in self.arguments:
            if kind == "arg":
                if text.startswith("struct "):
                    fields = [field.split("=") for field in text.split()[1:]]
                    body = " ".join(f"{CTYPES[t]} f{k};" for k, (t, _) in enumerate(fields))
                    values = ", ".join(f"({CTYPES[t]})({v})" for t, v in fields)
                    out.append(f"    struct {{ {body} }} arg_{name} = {{ {values} }};")
                else:
                    ctype, value = text.split(" = ")
                    out.append(f"    {CTYPES[ctype]} arg_{name} = ({CTYPES[ctype]})({value});")
                out.append(f"    arguments.push_back(&arg_{name});")
                continue
            declaration, _, formula = text.partition(" = ")
            element, count = declaration.split()
            ctype = CTYPES[element]
            out.append(f"    void *gpu_{name}; cudaMalloc(&gpu_{name}, {count} * sizeof({ctype}));")
            out.append(f"    arguments.push_back(&gpu_{name});")
            if formula:
                number = "float" if element in ("f16", "bf16") else ctype
                out.append(
                    f"    std::vector<{ctype}> {name}({count}); for (long long i = 0; i < {count}; i++)"
                    f" {name}[i] = ({ctype})({number})({formula});"
                )
                out.append(
                    f"    cudaMemcpy(gpu_{name}, {name}.data(), {count} * sizeof({ctype}), cudaMemcpyHostToDevice);"
                )
            if kind != "in":
                after.append(
                    f"    {{ std::vector<{ctype}> back({count});"
                    f" cudaMemcpy(back.data(), gpu_{name}, {count} * sizeof({ctype}), cudaMemcpyDeviceToHost); }}"
                )
            after.append(f"    cudaFree(gpu_{name});")
        grid, block = (f"dim3({axes})" for axes in (self.grid, self.block))
        call = "cudaLaunchCooperativeKernel" if self.cooperative else "cudaLaunchKernel"
        out += [
            f"    cudaError_t error = {call}((void *)kernel_of_the_sample, {grid}, {block}, arguments.data(), {self.shared}, 0);",
            "    if (error == cudaSuccess) error = cudaDeviceSynchronize();",
            '    if (error != cudaSuccess) printf("CUDA error: %s\\n", cudaGetErrorName(error));',
            *after,
            "    return 0;\n}\n",
        ]
        return "\n".join(out)


def build(sample, folder):
    """Path of the program, or the compiler's first error."""
    source, binary = folder / f"{sample.name}.cu", folder / sample.name
    source.write_text(sample.program())
    options = [option for option in sample.options if option != "--device-int128"]  # nvcc's default
    command = ["nvcc", "-std=c++17", "-arch=native", "-lineinfo", "-rdc=true", *options, "-o", binary, source]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return binary if result.returncode == 0 else (result.stderr or result.stdout).strip()[:600]


def sanitize(binary, tool):
    """Number of reports, and their first line; `hangs` where it did not end."""
    command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], "--print-limit", "3", str(binary)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, errors="replace")
    except subprocess.TimeoutExpired:
        return "hangs", ""
    text = result.stdout + result.stderr
    summary = re.search(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)", text)
    reports = [line.lstrip("= ") for line in text.splitlines() if re.match(r"=+ (?!COMPUTE|ERROR SUM|RACECHECK SUM|\s)", line)]
    number = int(summary[1]) if summary else -1
    return number, next((line for line in reports if not line.startswith("CUDA error")), "")


def main():
    names = set(sys.argv[1:])
    paths = sorted([*SAMPLES.glob("*.cu"), *(SAMPLES / "defects").glob("*.cu")])
    samples = [Sample(path) for path in paths if not names or path.stem in names]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max(2, (os.cpu_count() or 4) * 3 // 4)) as pool:
        binaries = list(pool.map(lambda sample: build(sample, Path(folder)), samples))
        jobs = {}
        for sample, binary in zip(samples, binaries):
            if isinstance(binary, Path):
                for tool in TOOLS:
                    jobs[sample.name, tool] = pool.submit(sanitize, binary, tool)
        results = {key: job.result() for key, job in jobs.items()}
    rows, unbuilt = [], []
    for sample, binary in zip(samples, binaries):
        if not isinstance(binary, Path):
            unbuilt.append(f"- `{sample.name}`: {binary.splitlines()[0] if binary else 'nvcc fails'}")
            continue
        cells = [results[sample.name, tool][0] for tool in TOOLS]
        said = next((text for tool in TOOLS for number, text in [results[sample.name, tool]] if number and text), "")
        rows.append((sample, cells, said))
    report(rows, unbuilt)


def report(rows, unbuilt):
    ours = [row for row in rows if row[0].findings]
    theirs = lambda row: any(cell not in (0,) for cell in row[1])
    lines = [
        f"defects: {len(ours)}; found by the simulator: {len(ours)}; by compute-sanitizer: {sum(map(theirs, ours))}",
        f"clean programs: {len(rows) - len(ours)}; reported by the simulator: 0;"
        f" by compute-sanitizer: {sum(theirs(row) for row in rows if not row[0].findings)}",
        "",
        "| program | simulator | " + " | ".join(TOOLS) + " | its first words |",
        "|---|---|" + "---|" * (len(TOOLS) + 1),
    ]
    for sample, cells, said in rows:
        if sample.findings or theirs((sample, cells)):
            found = ", ".join(dict.fromkeys(sample.findings)) or "clean"
            lines.append(f"| {sample.name} | {found} | " + " | ".join(map(str, cells)) + f" | {said[:90]} |")
    lines += ["", "Not built by nvcc:", "", *unbuilt] if unbuilt else []
    print("\n".join(lines))


if __name__ == "__main__":
    main()
