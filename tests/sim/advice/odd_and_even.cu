// Odd threads work, even ones wait for them in every warp.
//
// launch: grid 4 block 64
// in a: f32 256 = i
// out b: f32 256
// expect b[i] = i % 2 * (i + 100) + (1 - i % 2) * i
// advice: P003
extern "C" __global__ void odd_and_even(const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (i % 2) //~ P003
        for (volatile int k = 0; k < 100; k = k + 1)
            x += 1;
    b[i] = x;
}
