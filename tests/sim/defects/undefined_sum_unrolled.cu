// A sum that starts from nothing, in a loop that the compiler unrolls.
// launch: grid 2 block 32
// in x: f32 64 = i
// out y: f32 64
// finding: I002
extern "C" __global__ void pool(const float *x, float *y) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    float sum;
    for (int i = 0; i < 3; i++) sum += x[(first + i) % 64]; //~ I002
    y[first] = sum / 3;
}
