// A NaN is born by one thread and stored by another.
//
// launch: grid 1 block 32
// in a: f32 32 = i - 1
// out b: f32 1
// expect b = nan
// advice: N001
extern "C" __global__ void root_far_from_the_store(const float *a, float *b) {
    __shared__ float s[32];
    s[threadIdx.x] = sqrtf(a[threadIdx.x]); //~ N001
    __syncthreads();
    if (threadIdx.x == 31) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += s[k];
        *b = sum;
    }
}
