// One thread for each element, straight to global memory.
extern "C" __global__ void cluster_histogram(const int *in, int *counts, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i]], 1);
    }
}
