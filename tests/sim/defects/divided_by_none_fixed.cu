// A group without members has no mean.
//
// launch: grid 1 block 8
// in sums: i32 8 = i * 3
// in counts: i32 8 = i
// out means: i32 8
// expect means = 0 3 3 3 3 3 3 3
extern "C" __global__ void divided_by_none_fixed(const int *sums, const int *counts, int *means) {
    int i = threadIdx.x;
    means[i] = counts[i] ? sums[i] / counts[i] : 0;
}
