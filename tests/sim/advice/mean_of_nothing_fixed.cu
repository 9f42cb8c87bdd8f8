// An empty group has the mean zero.
//
// launch: grid 1 block 8
// in sums: f32 8 = i
// in counts: f32 8 = i
// out means: f32 8
// expect means = 0 1 1 1 1 1 1 1
// advice:
extern "C" __global__ void mean_of_nothing_fixed(const float *sums, const float *counts, float *means) {
    int i = threadIdx.x;
    means[i] = counts[i] > 0 ? sums[i] / counts[i] : 0.0f;
}
