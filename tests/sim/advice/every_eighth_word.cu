// Each thread sums eight neighbours of its own: the lanes are eight words apart, four banks in all.
//
// launch: grid 1 block 128
// in a: f32 1024 = i
// out b: f32 128
// expect b[i] = i * 64 + 28
// advice: P002
extern "C" __global__ void every_eighth_word(const float *a, float *b) {
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += 128)
        s[i] = a[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += s[threadIdx.x * 8 + k]; //~ P002
    b[threadIdx.x] = sum;
}
