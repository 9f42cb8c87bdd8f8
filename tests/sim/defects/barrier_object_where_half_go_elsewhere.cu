// Half of the threads wait for a phase of an mbarrier object, the other half at the barrier of the block.
// arch: 80
// launch: grid 1 block 64
// out y: i32 64
// finding: B002
// note: 32 threads wait at line 22 for a barrier object: 32 of 64 arrivals so far.
// note: 32 threads wait at line 26.
extern "C" __global__ void halves(int *y) {
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;
    unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    }
    __syncthreads();
    if (t < 32) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(address) : "memory");
        int done = 0, rounds = 0;
        while (!done) {
            rounds++;
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(address) : "memory"); //~ B002
        }
        y[t] = rounds > 0;
    }
    __syncthreads();
    y[t] = t;
}
