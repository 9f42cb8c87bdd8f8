// Clocks that never run backwards, a sleep, and the identifiers of warp and lane.
// launch: grid 2 block 64
// out y: i32 128
// expect y[i] = 15 + (i % 32) * 16
extern "C" __global__ void clocks(int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();
    unsigned long long before;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(before));
    __nanosleep(100);
    unsigned lane, size;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm("mov.u32 %0, WARP_SZ;" : "=r"(size));
    unsigned long long after;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(after));
    long long end = clock64();
    y[i] = (end >= start) | (after >= before) << 1 | (size == 32) << 2 | (lane == threadIdx.x % 32) << 3 | lane << 4;
}
