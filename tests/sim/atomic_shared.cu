// A histogram in shared memory, then added to global memory.
// launch: grid 4 block 128
// in a: u8 512 = (i * 7 + i / 3) % 16
// inout bins: u32 16 = 0
// expect bins[i] = sum(k, 0, 512, a[k] == i)
extern "C" __global__ void histogram(const unsigned char *a, unsigned *bins) {
    __shared__ unsigned local_bins[16];
    if (threadIdx.x < 16) {
        local_bins[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&local_bins[a[blockIdx.x * blockDim.x + threadIdx.x]], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd_block(&local_bins[threadIdx.x], 0u);
        atomicAdd(&bins[threadIdx.x], local_bins[threadIdx.x]);
    }
}
