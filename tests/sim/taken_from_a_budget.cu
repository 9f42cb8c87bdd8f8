// Each thread takes from a budget what is left, up to two: what it takes is computed from a plain read, and counts where the
// compare-and-swap has found the value that was read.
// launch: grid 2 block 32
// inout budget: i32 1 = 100
// out y: i32 64
// expect budget[i] = 0
__device__ int take(int *budget, int wanted) {
    int old = *budget;
    while (true) {
        int got = old < wanted ? old : wanted;
        int found = atomicCAS(budget, old, old - got);
        if (found == old) {
            return got;
        }
        old = found;
    }
}
extern "C" __global__ void spend(int *budget, int *y) { y[blockIdx.x * 32 + threadIdx.x] = take(budget, 2); }
