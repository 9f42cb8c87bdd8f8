// Warps go round as often as their threads have work, and so wait at the barrier.
// launch: grid 1 block 64
// in rounds: i32 64 = 1 + (i - i % 32) / 32
// inout y: i32 64 = 0
// finding: B001
extern "C" __global__ void rounds(const int *rounds, int *y) {
    int t = threadIdx.x;
    for (int k = 0; k < rounds[t]; k++) {
        y[t] += 1;
        __syncthreads(); //~ B001
    }
}
