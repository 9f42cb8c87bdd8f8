// Blocks go to the multiprocessors in turn.
// launch: grid 10 block 32
// multiprocessors: 4
// out y: i32 20
// expect y[i] = (i / 2 % 4) * (1 - i % 2) + 4 * (i % 2)
extern "C" __global__ void where(int *y) {
    unsigned sm, sms;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
    if (threadIdx.x == 0) {
        y[2 * blockIdx.x] = sm;
        y[2 * blockIdx.x + 1] = sms;
    }
}
