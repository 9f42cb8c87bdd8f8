// What run_pipeline() should do, in one kernel.

__global__ void all(const unsigned *in, unsigned *out, unsigned *state, int chunks, int n) {
    __shared__ unsigned x[64];
    int i = threadIdx.x;
    for (int chunk = 0; chunk < chunks; chunk++) {
        x[i] = in[chunk * n + i];
        __syncthreads();
        for (int s = 0; s < 3; s++) {
            unsigned v = x[(i + 1) % n] + state[s * n + i];
            for (int step = 0; step < 1000; step++) {
                v ^= v << 13;
                v ^= v >> 17;
                v ^= v << 5;
            }
            __syncthreads();
            x[i] = state[s * n + i] = v;
            __syncthreads();
        }
        out[chunk * n + i] = x[i];
        __syncthreads();
    }
}

void run_pipeline(const unsigned *in, unsigned *, unsigned *, unsigned *out, unsigned *state,
                  int chunks, int n) {
    all<<<1, n>>>(in, out, state, chunks, n);
    cudaGetLastError();
}
