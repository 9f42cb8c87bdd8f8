// The mean of an empty group: 0 / 0.
//
// launch: grid 1 block 8
// in sums: f32 8 = i
// in counts: f32 8 = i
// out means: f32 8
// expect means = nan 1 1 1 1 1 1 1
// advice: N001
extern "C" __global__ void mean_of_nothing(const float *sums, const float *counts, float *means) {
    int i = threadIdx.x;
    means[i] = sums[i] / counts[i]; //~ N001
}
