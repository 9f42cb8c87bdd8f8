// Each block of the grid has a part of the input of its own.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define THREADS 256
#define BLOCKS 4             // of a cluster
#define PART 512             // bins in the shared memory of each block
#define BINS (BLOCKS * PART) // bins of a cluster

extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) void
cluster_histogram(const int *in, int *counts, int n) {
    __shared__ int part[PART];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank();

    for (int b = threadIdx.x; b < PART; b += THREADS) {
        part[b] = 0;
    }
    cluster.sync();

    int share = (n + gridDim.x - 1) / gridDim.x;
    share = (share + 31) / 32 * 32;
    int end = min(n, (int)(blockIdx.x + 1) * share);
    for (int i = blockIdx.x * share + threadIdx.x; i < end; i += THREADS) {
        int bin = in[i];
        int *owner = cluster.map_shared_rank(part, bin / PART);
        atomicAdd(&owner[bin % PART], 1);
    }
    cluster.sync();

    for (int b = threadIdx.x; b < PART; b += THREADS) {
        if (part[b] != 0) {
            atomicAdd(&counts[rank * PART + b], part[b]);
        }
    }
}
