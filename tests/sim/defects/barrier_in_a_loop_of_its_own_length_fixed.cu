// All go round equally often, and work while they have some.
// launch: grid 1 block 64
// in rounds: i32 64 = 1 + (i - i % 32) / 32
// inout y: i32 64 = 0
// expect y[i] = 1 + (i - i % 32) / 32
extern "C" __global__ void rounds(const int *rounds, int *y) {
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        if (k < rounds[t])
            y[t] += 1;
        __syncthreads();
    }
}
