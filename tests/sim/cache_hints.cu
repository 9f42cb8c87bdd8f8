// Loads and stores with cache operators, volatile and acquire and release.
// launch: grid 1 block 64
// in a: i32 64 = i * 5
// inout y: i32 64 = 1
// inout flag: u32 1 = 0
// expect y[i] = i * 5 + 1 + i * 5 + i * 5
// expect flag = 64
extern "C" __global__ void hints(const int *a, int *y, unsigned *flag) {
    int i = threadIdx.x;
    int sum = __ldcg(&a[i]) + __ldcs(&a[i]) + __ldlu(&y[i]);
    volatile const int *seen = a;
    __stwt(&y[i], sum + seen[i]);
    unsigned before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(flag) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(before) : "l"(flag) : "memory");
    if (before == 0) {
        y[i] = -1;
    }
}
