// Each thread takes from a budget what is left, two at most. What it takes is computed from a plain read, and stored only
// where the swap has found the value that was read.
// launch: grid 2 block 32
// inout budget: i32 1 = 101
// out y: i32 64
// expect budget[i] = 0
__device__ int take(int *budget, int wanted) {
    int old = *budget;
    while (true) {
        int got = min(old, wanted);
        int found = atomicCAS(budget, old, old - got);
        if (found == old) return got;
        old = found;
    }
}
extern "C" __global__ void spend(int *budget, int *y) {
    y[blockIdx.x * blockDim.x + threadIdx.x] = take(budget, 2);
}
