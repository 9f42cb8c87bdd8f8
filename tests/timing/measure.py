#!/usr/bin/env python3
"""Measures the pairs of kernels in tests/timing/pairs on the GPU that is there.

    python3 tests/timing/measure.py [--cubins FOLDER] [PAIR...]      needs a GPU's driver, NVRTC and numpy

Each kernel is launched again and again by a graph, so that neither events nor the launch from the
host are in its time; the second-level cache holds what it can of the launch before ("warm"). Where
`ncu` is found, it times single launches too, of which caches hold nothing ("cold",
`gpu__time_duration` under `--cache-control all`, with the clocks left alone), and counts what is
compared with the simulator's counts. Without it those columns stay empty.

Kernels are compiled by NVRTC, or taken from cubins of the pairs' names in FOLDER. One such run is
kept in hardware/h100.csv.
"""

import csv
import ctypes
import io
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu import Gpu, compiled  # noqa: E402

PAIRS = Path(__file__).resolve().parent / "pairs"
KERNELS = ("slow", "fast")
# Launches that ncu times; the median is taken.
COLD_LAUNCHES = 7
COUNTED = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "load_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "store_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store_requests",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "load_conflicts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "store_conflicts",
}
TIME = "gpu__time_duration.sum"


# A kernel of nothing, measured as the others are: what is in every time.
EMPTY = """//! floats: 1 1 1
//! slow: grid 1 1 block 32 1
//! fast: grid 1 1 block 32 1
//! n: 1
extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {}
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {}
"""


class Pair:
    """A file of `pairs`; what its head says is described in mod.rs."""

    def __init__(self, name, source, gpu, cubins):
        self.name, self.gpu = name, gpu
        head = dict(re.findall(r"^//! (floats|slow|fast|n): (.*)$", source, re.M))
        known = cubins / f"{self.name}.cubin" if cubins else None
        cubin = known.read_bytes() if known else compiled(source, f"{name}.cu", gpu.arch())
        self.buffers = [gpu.allocate(4 * int(n)) for n in head["floats"].split()]
        for buffer, floats in zip(self.buffers, head["floats"].split()):
            i = numpy.arange(int(floats), dtype=numpy.uint64)
            values = ((i * numpy.uint64(2654435761)) >> numpy.uint64(8)) & numpy.uint64(0xFFFF)
            gpu.write(buffer, values.astype(numpy.float32) / numpy.float32(65536))
        self.arguments = [*self.buffers, ctypes.c_int(int(head["n"]))]
        self.kernels = {kernel: gpu.kernel(cubin, kernel) for kernel in KERNELS}
        shapes = {kernel: [int(n) for n in re.findall(r"\d+", head[kernel])] for kernel in KERNELS}
        self.shapes = {kernel: (shape[:2], shape[2:]) for kernel, shape in shapes.items()}

    def launch(self, kernel):
        grid, block = self.shapes[kernel]
        self.gpu.launch(self.kernels[kernel], grid, block, self.arguments)

    def warm_us(self, kernel):
        """Of one launch, among many that follow each other in a graph."""
        once = lambda: self.launch(kernel)  # noqa: E731
        once()
        self.gpu.wait()
        count = int(min(200, max(5, 2 / self.gpu.milliseconds(once))))
        graph = self.gpu.graph(lambda: [once() for _ in range(count)])
        graph()
        self.gpu.wait()
        return statistics.median(self.gpu.milliseconds(graph) for _ in range(9)) * 1e3 / count

    def resources(self, kernel):
        function, (_, block) = self.kernels[kernel], self.shapes[kernel]
        threads = block[0] * block[1]
        registers = self.gpu.attribute(function, "registers")
        return {"registers": registers, "resident_blocks": self.gpu.resident(function, threads)}

    def free(self):
        for buffer in self.buffers:
            self.gpu.free(buffer)


def profiled(metrics, launches, rest):
    """ncu's values: for each launched kernel in turn, by metric."""
    command = ["ncu", "--clock-control", "none", "--cache-control", "all", "--csv", "--print-units", "base",
               "--metrics", ",".join(metrics), sys.executable, __file__, "--launch", str(launches), *rest]
    out = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    rows = list(csv.DictReader(io.StringIO("\n".join(line for line in out.splitlines() if line.startswith('"')))))
    if not rows:
        raise SystemExit(f"ncu says nothing:\n{out}")
    kernels = {}
    for row in rows:
        kernels.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [kernels[number] for number in sorted(kernels)]


def main():
    rest = sys.argv[1:]
    words, launches, cubins = list(rest), 0, None
    if "--launch" in words:
        at = words.index("--launch")
        launches = int(words[at + 1])
        del words[at:at + 2]
    if "--cubins" in words:
        at = words.index("--cubins")
        cubins = Path(words[at + 1])
        del words[at:at + 2]
    gpu = Gpu()
    sources = {path.stem: path.read_text() for path in sorted(PAIRS.glob("*.cu"))} | {"empty": EMPTY}
    rows = []
    for name, source in sources.items():
        if words and name not in words:
            continue
        pair = Pair(name, source, gpu, cubins)
        for kernel in KERNELS:
            if launches:
                for _ in range(launches):
                    pair.launch(kernel)
                gpu.wait()
            else:
                rows.append({"pair": pair.name, "kernel": kernel, "warm_us": f"{pair.warm_us(kernel):.2f}",
                             **pair.resources(kernel)})
        pair.free()
    if launches:
        return
    if shutil.which("ncu"):
        times = profiled([TIME], COLD_LAUNCHES, rest)
        counts = profiled(list(COUNTED), 1, rest)
        for number, row in enumerate(rows):
            own = times[number * COLD_LAUNCHES:(number + 1) * COLD_LAUNCHES]
            row["cold_us"] = f"{statistics.median(launch[TIME] for launch in own) / 1e3:.2f}"
            row.update({column: int(counts[number][metric]) for metric, column in COUNTED.items()})
    columns = ["pair", "kernel", *COUNTED.values(), "registers", "resident_blocks", "cold_us", "warm_us"]
    print(f"# {gpu.name()}", file=sys.stderr)
    table = csv.DictWriter(sys.stdout, columns, restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)


if __name__ == "__main__":
    main()
