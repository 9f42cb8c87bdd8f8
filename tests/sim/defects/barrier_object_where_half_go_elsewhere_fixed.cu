// All threads tell an mbarrier object that they came; half of them wait there.
// arch: 80
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = i
extern "C" __global__ void halves(int *y) {
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;
    unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(address) : "memory");
    if (t < 32) {
        int done = 0, rounds = 0;
        while (!done) {
            rounds++;
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(address) : "memory");
        }
        y[t] = rounds > 0;
    }
    __syncthreads();
    y[t] = t;
}
