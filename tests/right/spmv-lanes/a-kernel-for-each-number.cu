// A template for each number of lanes; sums by cg::reduce().
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

template <int LANES>
__device__ void rows_of(const int *starts, const int *columns, const float *values, const float *x,
                        float *y, int rows) {
    auto group = cg::tiled_partition<LANES>(cg::this_thread_block());
    int row = blockIdx.x * group.meta_group_size() + group.meta_group_rank();
    float sum = 0;
    if (row < rows) {
        for (int k = starts[row] + group.thread_rank(), end = starts[row + 1]; k < end; k += LANES) {
            sum = fmaf(values[k], x[columns[k]], sum);
        }
    }
    sum = cg::reduce(group, sum, cg::plus<float>());
    if (row < rows && group.thread_rank() == 0) {
        y[row] = sum;
    }
}

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows, int lanes) {
    switch (lanes) {
    case 1: return rows_of<1>(starts, columns, values, x, y, rows);
    case 2: return rows_of<2>(starts, columns, values, x, y, rows);
    case 4: return rows_of<4>(starts, columns, values, x, y, rows);
    case 8: return rows_of<8>(starts, columns, values, x, y, rows);
    case 16: return rows_of<16>(starts, columns, values, x, y, rows);
    default: return rows_of<32>(starts, columns, values, x, y, rows);
    }
}
