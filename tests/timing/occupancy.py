#!/usr/bin/env python3
"""How many blocks of a kernel the driver says a multiprocessor holds, by registers, threads and shared memory.

    python3 tests/timing/occupancy.py [--cubins FOLDER]      needs a GPU's driver and NVRTC

Kernels with many numbers of registers are one kernel compiled under as many limits. Prints
registers, threads, dynamic bytes of shared memory and blocks; one such run is kept in
hardware/h100-occupancy.csv.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu import Gpu, compiled  # noqa: E402

LIMITS = (24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 152, 168, 192, 224, 255)
THREADS = (1, 32, 64, 96, 128, 160, 256, 288, 384, 512, 640, 768, 1024)
SHARED = (0, 1, 1024, 5000, 8192, 16384, 30000, 49152, 65536, 100_000, 116_000, 166_912, 232_448)
SOURCE = """
extern "C" __global__ void hungry(float *p, int n) {
    float v[250];
#pragma unroll
    for (int k = 0; k < 250; k++) v[k] = p[k * 1024 + threadIdx.x];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 250; k++) v[k] = v[k] * v[(k + 1) % 250] + 1;
#pragma unroll
    for (int k = 0; k < 250; k++) p[k * 1024 + threadIdx.x] = v[k];
}
"""


def main():
    gpu = Gpu()
    folder = Path(sys.argv[sys.argv.index("--cubins") + 1]) if "--cubins" in sys.argv else None
    print("registers,threads,shared_bytes,blocks")
    for limit in LIMITS:
        if folder:
            cubin = (folder / f"hungry{limit}.cubin").read_bytes()
        else:
            cubin = compiled(SOURCE, "hungry.cu", gpu.arch(), [f"--maxrregcount={limit}"])
        kernel = gpu.kernel(cubin, "hungry")
        gpu.allow_shared(kernel, max(SHARED))
        registers = gpu.attribute(kernel, "registers")
        for threads in THREADS:
            for shared in SHARED:
                print(f"{registers},{threads},{shared},{gpu.resident(kernel, threads, shared)}")


if __name__ == "__main__":
    main()
