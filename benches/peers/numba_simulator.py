"""The bench kernels on Numba's CUDA simulator. Prints `kernel work seconds`, a line each.

Needs `pip install numba`. Sizes are small: it interprets each thread in Python.
"""
import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import time
import warnings

import numpy as np
from numba import cuda, float32

warnings.filterwarnings("ignore")
BLOCK = 256
TILE = 16


@cuda.jit
def vadd(a, b, c, n):
    i = cuda.grid(1)
    if i < n:
        c[i] = a[i] + b[i]


@cuda.jit
def reduce(values, sums, n):
    tree = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tree[t] = values[i] if i < n else 0
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            tree[t] += tree[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = tree[0]


@cuda.jit
def mm_naive(a, b, c, n):
    column, row = cuda.grid(2)
    if row < n and column < n:
        total = np.float32(0)
        for k in range(n):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def mm_tiled(a, b, c, n):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = np.float32(0)
    for start in range(0, n, TILE):
        left[y, x] = a[row, start + x]
        right[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    c[row, column] = total


def report(name, work, launch):
    start = time.perf_counter()
    launch()
    print(name, work, time.perf_counter() - start, flush=True)


random = np.random.default_rng(0)
n = 1 << 14
a, b = (random.random(n, dtype=np.float32) for _ in range(2))
report("vadd", n, lambda: vadd[n // BLOCK, BLOCK](a, b, np.zeros_like(a), n))
n = 1 << 11
report("reduce", n, lambda: reduce[n // BLOCK, BLOCK](a[:n], np.zeros(n // BLOCK, np.float32), n))
n = 32
a, b = (random.random((n, n), dtype=np.float32) for _ in range(2))
for kernel in (mm_naive, mm_tiled):
    grid = (n // TILE, n // TILE)
    report(kernel.__name__, n**3, lambda: kernel[grid, (TILE, TILE)](a, b, np.zeros_like(a), n))
