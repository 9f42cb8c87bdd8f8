"""The bench kernels on PoCL: OpenCL on the CPU, through LLVM, without checks or counts. One thread.

Needs `pip install numpy pyopencl pocl-binary-distribution`. Prints the version, then `kernel size work seconds`, a line
each: the median of five launches on buffers that exist, building not counted. PoCL builds with its own defaults
(-O3 for this machine's CPU) and is given no build options.
"""
import os

os.environ["POCL_MAX_PTHREAD_COUNT"] = "1"
os.environ["PYOPENCL_COMPILER_OUTPUT"] = "0"
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
import statistics
import time

import numpy as np
import pyopencl as cl

RUNS = 5
BLOCK = 256
TILE = 16
SOURCE = """
kernel void vadd(global const float* a, global const float* b, global float* c, int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}

kernel void reduce(global const float* in, global float* out, int n) {
    local float s[256];
    int t = get_local_id(0), i = get_global_id(0);
    s[t] = i < n ? in[i] : 0.f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = s[0];
}

kernel void mm_naive(global const float* A, global const float* B, global float* C, int N) {
    int c = get_global_id(0), r = get_global_id(1);
    if (r < N && c < N) {
        float s = 0;
        for (int k = 0; k < N; k++) s += A[r * N + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}

kernel void mm_tiled(global const float* A, global const float* B, global float* C, int N) {
    local float a[16][16], b[16][16];
    int tx = get_local_id(0), ty = get_local_id(1), c = get_global_id(0), r = get_global_id(1);
    float s = 0;
    for (int k0 = 0; k0 < N; k0 += 16) {
        a[ty][tx] = A[r * N + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * N + c];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) s += a[ty][k] * b[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[r * N + c] = s;
}
"""

platform = next(p for p in cl.get_platforms() if p.name == "Portable Computing Language")
context = cl.Context([platform.get_devices()[0]])
queue = cl.CommandQueue(context)
kernels = {kernel.function_name: kernel for kernel in cl.Program(context, SOURCE).build().all_kernels()}
print("version", platform.version.strip(), flush=True)


def report(name, size, work, inputs, stored, grid, block):
    flags = cl.mem_flags
    arrays = [(np.arange(n) * 31 + i) % 7 for i, n in enumerate(inputs)]
    buffers = [
        cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a.astype(np.float32)) for a in arrays
    ]
    buffers.append(cl.Buffer(context, flags.READ_WRITE, stored * 4))
    kernel = kernels[name]
    kernel.set_args(*buffers, np.int32(size))

    def seconds():
        start = time.perf_counter()
        cl.enqueue_nd_range_kernel(queue, kernel, grid, block).wait()
        return time.perf_counter() - start

    seconds()  # builds for this work-group size
    print(name, size, work, statistics.median(seconds() for _ in range(RUNS)), flush=True)


n = 1 << 24
report("vadd", n, n, [n, n], n, (n,), (BLOCK,))
n = 1 << 22
report("reduce", n, n, [n], n // BLOCK, (n,), (BLOCK,))
for name, n in [("mm_naive", 512), ("mm_tiled", 512), ("mm_tiled", 64)]:
    report(name, n, n**3, [n * n, n * n], n * n, (n, n), (TILE, TILE))
