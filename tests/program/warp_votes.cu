// Votes, ballots, matches and tiles of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void votes(unsigned *out) {
    int t = threadIdx.x;
    out[0 * 32 + t] = __ballot_sync(0xffffffff, t % 3 == 0);
    out[1 * 32 + t] = __any_sync(0xffffffff, t == 40) + 2 * __all_sync(0xffffffff, t < 32);
    out[2 * 32 + t] = __shfl_xor_sync(0xffffffff, t, 5);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[3 * 32 + t] = cg::reduce(tile, t, cg::plus<int>());
    out[4 * 32 + t] = tile.shfl(t, 3) * 100 + tile.meta_group_rank();
    if (t % 2) {
        cg::coalesced_group active = cg::coalesced_threads();
        out[5 * 32 + t] = active.thread_rank() * 100 + active.size();
    } else {
        out[5 * 32 + t] = __popc(__activemask());
    }
    __syncwarp();
    out[6 * 32 + t] = __reduce_max_sync(0xffffffff, (t * 7) % 32);
    out[7 * 32 + t] = __match_any_sync(0xffffffff, t / 10);
}

int main() {
    unsigned *d, h[8][32];
    cudaMalloc(&d, sizeof h);
    votes<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (auto &row : h) printf("%08x %08x %08x %08x\n", row[0], row[1], row[9], row[31]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(d);
}
