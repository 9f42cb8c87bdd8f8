// A word is left out after each eighth.
//
// launch: grid 1 block 128
// in a: f32 1024 = i
// out b: f32 128
// expect b[i] = i * 64 + 28
// advice:
extern "C" __global__ void every_eighth_word_fixed(const float *a, float *b) {
    __shared__ float s[1152];
    for (int i = threadIdx.x; i < 1024; i += 128)
        s[i + i / 8] = a[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += s[threadIdx.x * 9 + k];
    b[threadIdx.x] = sum;
}
