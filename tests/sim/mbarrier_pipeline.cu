// An mbarrier of shared memory: threads arrive, then wait for the phase by state and by parity.
// arch: 80
// launch: grid 1 block 64
// in a: i32 64 = i * 2
// out y: i32 64
// out z: i32 64
// expect y[i] = (63 - i) * 2
// expect z[i] = ((i + 7) % 64) * 2 + 1
extern "C" __global__ void phases(const int *a, int *y, int *z) {
    __shared__ unsigned long long barrier;
    __shared__ int values[64];
    int t = threadIdx.x;
    unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    }
    __syncthreads();
    values[t] = a[t];
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(address), "l"(state) : "memory");
    }
    y[t] = values[63 - t];
    __syncthreads();
    values[t] = a[t] + 1;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(address) : "memory");
    }
    z[t] = values[(t + 7) % 64];
}
