// launch: grid 1 block 8
// in sums: i32 8 = i * 3
// in counts: i32 8 = i
// out means: i32 8
// finding: N004
extern "C" __global__ void means_of_groups(const int *sums, const int *counts, int *means) {
    int sum = sums[threadIdx.x], n = counts[threadIdx.x], mean;
#ifdef FIXED
    mean = n > 0 ? sum / n : 0;
#else
    mean = sum / n;
#endif
    means[threadIdx.x] = mean;
}
