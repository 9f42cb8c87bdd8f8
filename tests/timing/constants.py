#!/usr/bin/env python3
"""Measures constants of the GPU that is there, for src/host/device/models, by the kernels in constants.cu.

    python3 tests/timing/constants.py [--cubins FOLDER]      needs a GPU's driver, NVRTC and numpy

Prints a line for each: the kernel, what it was launched with (blocks, threads, n, m), and what came
out. One such run is kept in hardware/h100-constants.csv.
"""

import ctypes
import statistics
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu import Gpu, compiled  # noqa: E402

HERE = Path(__file__).resolve().parent
MIB = 1 << 20


class Bench:
    def __init__(self, gpu, cubin):
        self.gpu, self.cubin, self.kernels = gpu, cubin, {}
        self.data, self.out = gpu.allocate(1024 * MIB), gpu.allocate(64 * MIB)
        sms = ctypes.c_int()
        gpu.call("cuDeviceGetAttribute", ctypes.byref(sms), 16, gpu.device)
        self.sms = sms.value
        self.gpu.call("cuMemsetD32_v2", self.data, 0, ctypes.c_size_t(256 * MIB))

    def launch(self, name, blocks, threads, n, m):
        if name not in self.kernels:
            self.kernels[name] = self.gpu.kernel(self.cubin, name)
        self.gpu.launch(self.kernels[name], (blocks, 1), (threads, 1),
                        [self.data, ctypes.c_int(n), ctypes.c_int(m), self.out])

    def words(self, count):
        self.gpu.wait()
        found = numpy.zeros(count, dtype=numpy.uint32)
        self.gpu.read(found, self.out)
        return found

    def microseconds(self, *what):
        """Of one launch, by events; those of an empty kernel are taken off."""
        self.launch(*what)
        self.gpu.wait()
        times = [self.gpu.milliseconds(lambda: self.launch(*what)) * 1e3 for _ in range(7)]
        return statistics.median(times)

    def chain(self, bytes_):
        """A list through every line of `bytes_`, in random order, at the start of the data."""
        lines = bytes_ // 128
        order = numpy.random.default_rng(1).permutation(lines).astype(numpy.uint32)
        words = numpy.zeros((lines, 32), dtype=numpy.uint32)
        words[order, 0] = numpy.roll(order, -1) * 32
        self.gpu.write(self.data, words)


def say(name, shape, what, value):
    print(f"{name},{' '.join(map(str, shape))},{what},{value}", flush=True)


def main():
    gpu = Gpu()
    if "--cubins" in sys.argv:
        cubin = (Path(sys.argv[sys.argv.index("--cubins") + 1]) / "constants.cubin").read_bytes()
    else:
        cubin = compiled((HERE / "constants.cu").read_text(), "constants.cu", gpu.arch())
    bench = Bench(gpu, cubin)
    sms = bench.sms
    print("kernel,blocks threads n m,what,value")
    bench.launch("clocks", 1, 32, 10_000_000, 0)
    cycles, ns, _ = bench.words(3)
    ghz = float(cycles) / float(ns)
    say("clocks", (1, 32, 10_000_000, 0), "GHz", f"{ghz:.3f}")
    say("empty", (1, 32, 0, 0), "us between events", f"{bench.microseconds('empty', 1, 32, 0, 0):.2f}")
    for count in (20, 200):
        graph = gpu.graph(lambda: [bench.launch("empty", 1, 32, 0, 0) for _ in range(count)])
        graph()
        gpu.wait()
        per = statistics.median(gpu.milliseconds(graph) for _ in range(9)) * 1e3 / count
        say("empty", (1, 32, 0, 0), f"us of {count} in a graph", f"{per:.3f}")
    empty = bench.microseconds("empty", 1, 32, 0, 0)

    for kib in (16, 64, 128, 192):
        bench.chain(kib << 10)
        shape = (1, 1, 4000, (kib << 10) // 128)
        bench.launch("chase", *shape)
        say("chase", shape, f"cycles over {kib} KiB", bench.words(1)[0])
    for mib in (1, 4, 8, 16, 24, 32, 40, 48, 64, 128, 512):
        bench.chain(mib * MIB)
        # Brought into the cache as far as it holds it.
        bench.launch("far_reads", sms * 8, 256, 4 * max(1, mib * 65536 // (sms * 8 * 256)), mib)
        shape = (1, 1, 4000, 0)
        bench.launch("chase_far", *shape)
        say("chase_far", shape, f"cycles over {mib} MiB", bench.words(1)[0])
    bench.gpu.call("cuMemsetD32_v2", bench.data, 0, ctypes.c_size_t(256 * MIB))

    for name in ("fma_f32", "add_f32", "add_int", "mad_int", "logic", "fma_f64", "exponential", "reciprocal",
                 "convert", "shuffle", "shared_load", "shared_atomic", "global_atomic", "divide_f32", "divide_int",
                 "sine", "exp_f32", "divergent"):
        shape = (1, 32, 2048, 1)
        bench.launch(name, *shape)
        say(name, shape, "cycles a step", bench.words(1)[0] / 10)
    for threads in (32, 128, 256, 512, 1024):
        shape = (1, threads, 2048, 1)
        bench.launch("barrier", *shape)
        say("barrier", shape, "cycles a step", bench.words(1)[0] / 10)
    for name in ("flow_fma_f32", "flow_fma_f64", "flow_exponential", "flow_convert", "flow_divide_f32",
                 "flow_divide_int", "flow_sine", "flow_exp_f32", "flow_mad_int", "flow_shuffle"):
        shape = (sms, 1024, 512, 1)
        us = bench.microseconds(name, *shape) - empty
        say(name, shape, "steps a cycle of a multiprocessor", f"{1024 * 512 * 4 / (us * 1e3 * ghz):.2f}")

    for name, strides in (("near_loads", (0, 1, 2, 4, 8, 16, 32)), ("near_vectors", (0, 4, 8, 16, 32))):
        for stride in strides:
            for threads in (1024,):
                shape = (sms, threads, 400, stride)
                us = bench.microseconds(name, *shape) - empty
                per = us * 1e3 * ghz / (threads / 32 * 400 * 8)
                say(name, shape, "cycles a request", f"{per:.2f}")
    for stride in (0, 1, 2, 4, 32):
        shape = (sms, 1024, 400, stride)
        us = bench.microseconds("shared_loads", *shape) - empty
        say("shared_loads", shape, "cycles a request", f"{us * 1e3 * ghz / (32 * 400 * 8):.2f}")
    for name in ("shared_atomics_int", "shared_atomics_float"):
        for places in (-1024, -32, -8, -1, 64, 256, 2048):
            shape = (sms, 1024, 200, places)
            us = bench.microseconds(name, *shape) - empty
            say(name, shape, "cycles a warp", f"{us * 1e3 * ghz / (32 * 200):.2f}")
    for name in ("atomics_int", "atomics_float"):
        for places in (1, 8, 32, 64, 256, 1024, 4096, 65536, 1 << 20, 1 << 22, 1 << 24,
                       -8, -64, -2048, -65536, -(1 << 20), -(1 << 24)):
            shape = (1024, 256, 4, places)
            us = bench.microseconds(name, *shape) - empty
            say(name, shape, "ns a warp", f"{us * 1e3 / (1024 * 8 * 4):.3f}")

    for name, width in (("far_reads", 16), ("far_words", 4), ("far_sectors", 32), ("far_gathers", 32),
                        ("far_column_reads", 32), ("far_writes", 4), ("far_vector_writes", 16),
                        ("far_part_writes", 32), ("far_column_writes", 32), ("copies", 32)):
        for mib in (4, 16, 32, 256) if name == "far_gathers" else (12, 16, 24, 32, 40, 256):
            rounds = 32 if width > 16 else 96
            shape = (sms * 8, 256, rounds, mib)
            us = bench.microseconds(name, *shape) - empty
            say(name, shape, f"GB/s of {width} bytes a thread", f"{sms * 8 * 256 * rounds * width / us / 1e3:.0f}")
    # What one multiprocessor gets, and few of them.
    for name, width in (("far_reads", 16), ("far_words", 4), ("far_writes", 4)):
        for blocks, threads, mib in ((1, 32, 4), (1, 256, 4), (1, 1024, 4), (2, 1024, 4), (1, 256, 512), (1, 1024, 512),
                                     (16, 1024, 4), (66, 1024, 16), (66, 1024, 512), (132, 1024, 16)):
            shape = (blocks, threads, 1024 if blocks == 1 else 512, mib)
            us = bench.microseconds(name, *shape) - empty
            say(name, shape, "GB/s", f"{blocks * threads * shape[2] * width / us / 1e3:.1f}")
    for threads in (32, 64, 128, 256, 512, 1024):
        blocks = (1 << 24) // max(threads, 64)
        us = bench.microseconds("empty", blocks, threads, 0, 0) - empty
        say("empty", (blocks, threads, 0, 0), "ns a block", f"{us * 1e3 / blocks:.3f}")
    for threads in (256, 1024):
        shape = (sms * 2048 // threads, threads, 256, 1)
        us = bench.microseconds("local_words", *shape) - empty
        say("local_words", shape, "cycles a round of a warp", f"{us * 1e3 * ghz / (64 * 256):.2f}")


if __name__ == "__main__":
    main()
