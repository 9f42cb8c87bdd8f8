// A NaN that is thrown away is none of anybody's business.
//
// launch: grid 1 block 32
// in a: f32 32 = i - 1
// out b: f32 1
// expect b = 112.1897 ~ 1e-3
// advice:
extern "C" __global__ void root_far_from_the_store_fixed(const float *a, float *b) {
    __shared__ float s[32];
    float root = sqrtf(a[threadIdx.x]);
    s[threadIdx.x] = root >= 0 ? root : 0.0f;
    __syncthreads();
    if (threadIdx.x == 31) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += s[k];
        *b = sum;
    }
}
