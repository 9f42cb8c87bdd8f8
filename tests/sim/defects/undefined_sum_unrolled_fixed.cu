// A sum that starts from zero, in a loop that the compiler unrolls.
// launch: grid 2 block 32
// in x: f32 64 = i
// out y: f32 64
// expect y[i] = (i % 64 + (i + 1) % 64 + (i + 2) % 64) / 3.0 ~ 1e-6
extern "C" __global__ void pool(const float *x, float *y) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 3; i++) sum += x[(first + i) % 64];
    y[first] = sum / 3;
}
