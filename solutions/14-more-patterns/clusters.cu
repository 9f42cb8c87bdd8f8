// cluster_histogram: count how often each value occurs, in bins that a cluster shares.
//
// Clusters of BLOCKS blocks of THREADS threads; the grid has whole clusters.
// in: n ints from 0 to BINS - 1. counts: BINS ints, to which the results are added.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define THREADS 256
#define BLOCKS 4             // of a cluster
#define PART 512             // bins in the shared memory of each block
#define BINS (BLOCKS * PART) // bins of a cluster

extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) void
cluster_histogram(const int *in, int *counts, int n) {
    // Of the cluster's BINS bins, this block has those from rank * PART on.
    __shared__ int part[PART];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank();

    for (int b = threadIdx.x; b < PART; b += THREADS) {
        part[b] = 0;
    }
    // All four blocks have begun, and their bins are zero.
    cluster.sync();

    // Each element is read by one thread, and counted where its bin is.
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        int bin = in[i];
        int *owner = cluster.map_shared_rank(part, bin / PART);
        atomicAdd(&owner[bin % PART], 1);
    }
    // Everything is counted, and no thread accesses another block any more.
    cluster.sync();

    for (int b = threadIdx.x; b < PART; b += THREADS) {
        if (part[b] != 0) {
            atomicAdd(&counts[rank * PART + b], part[b]);
        }
    }
}
