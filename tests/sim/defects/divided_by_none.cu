// A group without members: the divisor is zero.
//
// launch: grid 1 block 8
// in sums: i32 8 = i * 3
// in counts: i32 8 = i
// out means: i32 8
// expect means = -1 3 3 3 3 3 3 3
// finding: N004
extern "C" __global__ void divided_by_none(const int *sums, const int *counts, int *means) {
    int i = threadIdx.x;
    means[i] = sums[i] / counts[i]; //~ N004
}
