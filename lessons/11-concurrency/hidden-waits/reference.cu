// What run_jobs() should do, one block for each job.

__global__ void all(const unsigned *seeds, unsigned *counts, int n) {
    __shared__ unsigned bins[16];
    int i = threadIdx.x;
    if (i < 16) {
        bins[i] = 0;
    }
    __syncthreads();
    if (i < n) {
        unsigned x = seeds[blockIdx.x * n + i];
        for (int step = 0; step < 4000; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        atomicAdd(&bins[x % 16], 1u);
    }
    __syncthreads();
    if (i < 16) {
        counts[blockIdx.x * 16 + i] = bins[i];
    }
}

void run_jobs(const unsigned *seeds, unsigned *out, int jobs, int n) {
    unsigned *counts;
    cudaMalloc(&counts, jobs * 16 * sizeof(unsigned));
    all<<<jobs, 64>>>(seeds, counts, n);
    cudaGetLastError();
    cudaMemcpy(out, counts, jobs * 16 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(counts);
}
