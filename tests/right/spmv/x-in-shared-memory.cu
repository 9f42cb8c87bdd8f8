// Each block fetches x into shared memory; sums by cg::reduce().
extern "C" __global__ void find_starts(const int *lengths, int *starts, int rows, int longest) {
    int start = 0;
    for (int row = 0; row < rows; row++) {
        starts[row] = start;
        start += lengths[row] % (longest + 1);
    }
    starts[rows] = start;
}

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows) {
    __shared__ float xs[1024];
    for (int c = threadIdx.x; c < 1024; c += 256) xs[c] = x[c];
    __syncthreads();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.x * 8 + warp.meta_group_rank();
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row] + warp.thread_rank(), end = starts[row + 1]; k < end; k += 32) sum += values[k] * xs[columns[k]];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) y[row] = sum;
}
