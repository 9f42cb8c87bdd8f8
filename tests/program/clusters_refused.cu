// Clusters that CUDA refuses: too large, not making up the grid, or not those of the kernel.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void ranks(int *out) {
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = cluster.block_rank();
}

__global__ __cluster_dims__(2, 1, 1) void pairs(int *out) {
    if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}

static cudaError_t launch(void (*kernel)(int *), int blocks, int size, int *out) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 32;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaError_t error = cudaLaunchKernelEx(&config, kernel, out); //~ A012
    cudaGetLastError();
    return error;
}

int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    printf("5 blocks in clusters of 2: %s\n", cudaGetErrorName(launch(ranks, 5, 2, out)));
    printf("clusters of 16: %s\n", cudaGetErrorName(launch(ranks, 16, 16, out)));
    printf("another size than the kernel's: %s\n", cudaGetErrorName(launch(pairs, 4, 4, out)));
    cudaFuncSetAttribute(ranks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    printf("clusters of 16, allowed: %s\n", cudaGetErrorName(launch(ranks, 16, 16, out)));
    int last;
    cudaMemcpy(&last, out + 15, sizeof(int), cudaMemcpyDeviceToHost);
    printf("rank %d\n", last);
    cudaFree(out);
}
