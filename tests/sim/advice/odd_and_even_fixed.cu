// Whole warps go one way or the other.
//
// launch: grid 4 block 64
// in a: f32 256 = i
// out b: f32 256
// expect b[i] = i + (i % 64 - i % 32) / 32 * 100
// advice:
extern "C" __global__ void odd_and_even_fixed(const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (i / 32 % 2)
        for (volatile int k = 0; k < 100; k = k + 1)
            x += 1;
    b[i] = x;
}
