// What run_chunks() should do, in one kernel.

__device__ unsigned scrambled(unsigned v) {
    for (int step = 0; step < 800; step++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    return v;
}

__global__ void all(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned slot[64];
    int i = threadIdx.x, at = blockIdx.x * n + i;
    slot[i] = scrambled(in[at]);
    __syncthreads();
    out[at] = scrambled(slot[i] + slot[(i + 1) % n]);
}

void run_chunks(const unsigned *in, unsigned *, unsigned *out, int chunks, int n) {
    all<<<chunks, n>>>(in, out, n);
    cudaGetLastError();
}
