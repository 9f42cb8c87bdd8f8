#!/usr/bin/env python3
"""Holds the times of `gpulearn bench` against an outside timer: Triton's do_bench, on the same kernels.

    python3 tests/timing/agree.py [--gpulearn PROGRAM] [--rounds N] [--larger] [PAIR...]

needs a GPU, gpulearn, PyTorch, Triton and CuPy. Each kernel of tests/timing/pairs is timed by the one and
by the other in turn, on the same machine in the same state, and each round has processes of its own on
both sides. Timers are compared, so the machine code is that of one compiler with the same options
(another release's was seen to be 12 % faster), and each buffer is an allocation of its own. Compared are
the medians of the rounds' medians. Where memory comes to lie moves a time by a percent or two, whoever
measures, and for atomics on a few addresses by half and more: what is apart by more than 2 % is timed
once more by both methods, do_bench's and that of src/gpu/timing.rs, in one process on the same buffers.
With --larger a pair that has a kernel under 50 µs is made 4, 16 or 64 times as large: most of them are
too short to be told from what launches and events take. The table is printed; one such run is kept in
tests/gpu/H100.md.
"""

import csv
import io
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from gpu import compiled

PAIRS = Path(__file__).resolve().parent / "pairs"
KERNELS = ("slow", "fast")
# From here on a pair is made no larger.
LONG_US = 50
# A kernel under this is told apart in the table's last line.
SHORT_US = 20
# Apart by more than this, a kernel is timed by both methods on the same buffers, at these offsets of
# allocations of their own, or one behind the other.
AGREED = 0.02
TOGETHER = -1
PLACES = (0, 4096, TOGETHER)
FLUSH_BYTES = 256 << 20


def head(source):
    """What the head of a pair says; described in mod.rs."""
    found = dict(re.findall(r"^//! (floats|slow|fast|n): (.*)$", source, re.M))
    return {key: [int(n) for n in re.findall(r"\d+", text)] for key, text in found.items()}


def larger(source, times):
    """The same kernels on `times` as much: `times` is a power of four."""
    said = head(source)
    n, floats = said["n"][0], said["floats"]
    shapes = {kernel: list(said[kernel]) for kernel in KERNELS}
    if n * n == floats[0]:  # a matrix's side
        side = round(times ** 0.5)
        said["n"] = [n * side]
        for shape in shapes.values():
            shape[0], shape[1] = shape[0] * side, shape[1] * side
    else:
        if n >= 1 << 16:  # a number of elements, and not the length of a row or of a chain
            said["n"] = [n * times]
        for shape in shapes.values():
            shape[0] *= times if shape[0] > 1 else 1
    lines = {
        "floats": " ".join(str(count * times if count > 1 else 1) for count in floats),
        "n": str(said["n"][0]),
        **{kernel: "grid {} {} block {} {}".format(*shape) for kernel, shape in shapes.items()},
    }
    return re.sub(r"^//! (floats|slow|fast|n): .*$", lambda m: f"//! {m[1]}: {lines[m[1]]}", source, flags=re.M)


class Ours:
    """`gpulearn bench`, a process for each pair."""

    def __init__(self, program):
        self.program = program

    def times_us(self, path):
        command = [self.program, "bench", str(path), "--csv", "--backend", "gpu"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        if result.returncode or len(rows) != 2:
            raise SystemExit(f"{path.name}: {result.stderr or result.stdout}")
        return [float(row["median_ns"]) / 1e3 for row in rows]


class Theirs:
    """do_bench in a process of its own, which is told the pairs one after the other."""

    def __init__(self):
        command = [sys.executable, __file__, "--serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def times_us(self, path):
        return self.ask("alone", 0, path)

    def both_us(self, path, place):
        """For each kernel by do_bench, and between events as bench has them; buffers lie at `place`."""
        return self.ask("both", place, path)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def serve():
    import cupy
    import numpy
    import torch
    from triton.testing import do_bench

    def buffer(values, place):
        if place == TOGETHER:
            return values
        memory = cupy.cuda.MemoryPointer(cupy.cuda.Memory(values.nbytes + place), place)
        own = cupy.ndarray(values.shape, values.dtype, memory)
        own[:] = values
        return own

    def between_events(launch):
        """As src/gpu/timing.rs: batches of 100 in a stream of their own, caches flushed by the driver."""
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(2):  # the first warms up
                pairs = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(100)]
                for start, end in pairs:
                    cupy.cuda.runtime.memsetAsync(flush.ptr, 0, FLUSH_BYTES, stream.ptr)
                    start.record(stream)
                    launch()
                    end.record(stream)
                stream.synchronize()
        return statistics.median(cupy.cuda.get_elapsed_time(start, end) for start, end in pairs)

    arch = "sm_{}{}a".format(*torch.cuda.get_device_capability())
    flush = cupy.cuda.Memory(FLUSH_BYTES)
    for line in sys.stdin:
        what, place, path = line.strip().split(" ", 2)
        path = Path(path)
        source = path.read_text()
        said = head(source)
        # CuPy keeps what it loaded by the name of the file.
        cubin = path.with_suffix(f".{hash(source)}.cubin")
        cubin.write_bytes(compiled(source, path.name, arch, ["-std=c++17", "-lineinfo"]))
        module = cupy.RawModule(path=str(cubin))
        arguments = []
        for floats in said["floats"]:
            i = cupy.arange(floats, dtype=cupy.uint64)
            values = ((i * numpy.uint64(2654435761)) >> numpy.uint64(8)) & numpy.uint64(0xFFFF)
            arguments.append(buffer(values.astype(cupy.float32) / numpy.float32(65536), int(place)))
            del i, values
        arguments.append(numpy.int32(said["n"][0]))
        cupy.get_default_memory_pool().free_all_blocks()
        times = []
        for kernel in KERNELS:
            function, shape = module.get_function(kernel), said[kernel]
            launch = lambda: function(tuple(shape[:2]), tuple(shape[2:]), arguments)  # noqa: B023, E731
            by_do_bench = 1e3 * do_bench(launch, return_mode="median")
            times.append((by_do_bench, 1e3 * between_events(launch)) if what == "both" else by_do_bench)
        del arguments
        cupy.get_default_memory_pool().free_all_blocks()
        torch.cuda.synchronize()
        print(json.dumps(times), flush=True)


def main():
    words = sys.argv[1:]
    if words == ["--serve"]:
        return serve()
    program, rounds, enlarge = "gpulearn", 3, False
    while words and words[0].startswith("--"):
        word = words.pop(0)
        if word == "--gpulearn":
            program = str(Path(words.pop(0)).resolve())
        elif word == "--rounds":
            rounds = int(words.pop(0))
        elif word == "--larger":
            enlarge = True
        else:
            raise SystemExit(__doc__)
    sources = {path.stem: path.read_text() for path in sorted(PAIRS.glob("*.cu"))}
    sources = {name: source for name, source in sources.items() if not words or name in words}
    ours, factors = Ours(program), dict.fromkeys(sources, 1)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.cu" for name in sources}
        for name, source in sources.items():
            paths[name].write_text(source)
        if enlarge:
            theirs = Theirs()
            for name, path in paths.items():
                while factors[name] < 64 and min(theirs.times_us(path)) < LONG_US:
                    factors[name] *= 4
                    path.write_text(larger(sources[name], factors[name]))
            theirs.end()
        found = {name: ([], []) for name in paths}
        for _ in range(rounds):
            theirs = Theirs()
            for name, path in paths.items():
                found[name][0].append(ours.times_us(path))
                found[name][1].append(theirs.times_us(path))
            theirs.end()
        theirs = Theirs()
        placed = {name: [theirs.both_us(paths[name], place) for place in PLACES]
                  for name, both in found.items()
                  if any(abs(share) > AGREED for share in shares(both))}
        theirs.end()
    report(found, factors, placed)


def shares(both):
    """How far ours is from theirs, for each kernel."""
    medians = [[statistics.median(times) for times in zip(*rounds)] for rounds in both]
    return [a / b - 1 for a, b in zip(*medians)]


def report(found, factors, placed):
    lines = [
        "| pair | size | slow | do_bench | | spread | fast | do_bench | | spread |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    apart, short, by_place = [], [], []
    for name, both in found.items():
        cells = []
        for kernel in range(len(KERNELS)):
            sides = [[times[kernel] for times in rounds] for rounds in both]
            a, b = (statistics.median(side) for side in sides)
            # How far the rounds of one side are from each other.
            spread = max((max(side) - min(side)) / statistics.median(side) for side in sides)
            cells += [f"{a:.2f}", f"{b:.2f}", f"{100 * (a / b - 1):+.1f} %", f"{100 * spread:.1f} %"]
            (short if b < SHORT_US else apart).append((abs(a / b - 1), abs(a - b), name, KERNELS[kernel]))
            if abs(a / b - 1) > AGREED and b >= SHORT_US:
                pairs = [times[kernel] for times in placed[name]]
                most = max(abs(events / by_do_bench - 1) for by_do_bench, events in pairs)
                times = ", ".join(f"{events:.2f} and {by_do_bench:.2f}" for by_do_bench, events in pairs)
                by_place.append(f"{name}, {KERNELS[kernel]}: on the same buffers, in three places, {times}: "
                                f"apart by at most {100 * most:.1f} %")
        lines.append(f"| {name} | {factors[name]}× | " + " | ".join(cells) + " |")
    lines.append("")
    if apart:
        most = max(apart)
        within = sum(share <= AGREED for share, *_ in apart)
        middle = statistics.median(share for share, *_ in apart)
        lines.append(
            f"from {SHORT_US} µs up: {within} of {len(apart)} kernels within 2 %, the median {100 * middle:.1f} %,"
            f" the most {100 * most[0]:.1f} % ({most[2]}, {most[3]})")
    if short:
        most, middle = max(s[1] for s in short), statistics.median(s[1] for s in short)
        lines.append(f"under {SHORT_US} µs: {len(short)} kernels, apart by at most {most:.2f} µs, the median {middle:.2f} µs")
    print("\n".join(lines + by_place))


if __name__ == "__main__":
    main()
