extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    __shared__ int own[64] = {0};
    atomicAdd(&own[in[threadIdx.x]], 1);
    __syncthreads();
    counts[threadIdx.x] = own[threadIdx.x];
}
