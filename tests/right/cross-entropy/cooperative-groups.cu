// Largest and sum by cg::reduce().
#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

// Returns the largest value of the block's threads to all of them. s: room for 32
// floats in shared memory, which nothing else uses.
__device__ float block_max(float value, float *s) {
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, d));
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < THREADS / 32; warp++) {
        value = fmaxf(value, s[warp]);
    }
    return value;
}

// Returns the sum of the block's values to all threads. s: as above.
__device__ float block_sum(float value, float *s) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0;
    for (int warp = 0; warp < THREADS / 32; warp++) {
        sum += s[warp];
    }
    return sum;
}

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses,
                                         int tokens, int vocab) {
    extern __shared__ float kept[];
    __shared__ float parts[THREADS / 32], loss;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float *row = logits + (size_t)blockIdx.x * vocab;
    const int t = block.thread_rank(), target = targets[blockIdx.x] % vocab;
    float top = LOWEST;
    for (int c = t; c < vocab; c += THREADS) top = fmaxf(top, kept[c] = row[c]);
    top = cg::reduce(warp, top, cg::greater<float>());
    if (warp.thread_rank() == 0) parts[t / 32] = top;
    block.sync();
    for (int w = 0; w < THREADS / 32; w++) top = fmaxf(top, parts[w]);
    if (t == 0) loss = top - kept[target];
    float sum = 0;
    block.sync();
    for (int c = t; c < vocab; c += THREADS) sum += kept[c] = expf(kept[c] - top);
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) parts[t / 32] = sum;
    block.sync();
    sum = 0;
    for (int w = 0; w < THREADS / 32; w++) sum += parts[w];
    if (t == 0) losses[blockIdx.x] = loss + logf(sum);
    for (int c = t; c < vocab; c += THREADS) row[c] = (kept[c] / sum - (c == target)) / tokens;
}
