// Clusters: their size said by the launch or by the kernel, and launches that CUDA refuses.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// Each block counts its part; the blocks of a cluster add up into the first one's counts.
__global__ void histogram(const int *in, int n, int *out) {
    __shared__ int bins[8];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    cluster.sync();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&cluster.map_shared_rank(bins, 0)[in[i] % 8], 1);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 8)
        out[blockIdx.x / cluster.num_blocks() * 8 + threadIdx.x] = bins[threadIdx.x];
}

__global__ __cluster_dims__(2, 1, 1) void pairs(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = cluster.block_rank();
}

static cudaError_t launch(int blocks, int size, const int *in, int n, int *out) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 64;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, histogram, in, n, out);
}

int main() {
    const int n = 500;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = i * i;
    for (int size = 1; size <= 8; size *= 2) {
        printf("clusters of %d: %s\n", size, cudaGetErrorName(launch(8, size, in, n, out)));
        cudaDeviceSynchronize();
        for (int c = 0; c < 8 / size; c++) printf("%d %d %d%s", out[c * 8], out[c * 8 + 1], out[c * 8 + 4], c + 1 < 8 / size ? ", " : "\n");
    }
    pairs<<<4, 32>>>(out);
    cudaDeviceSynchronize();
    printf("ranks %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, pairs);
    printf("required: %d, %d blocks\n", attributes.clusterDimMustBeSet, attributes.requiredClusterWidth);
    cudaFree(in);
    cudaFree(out);
}
