// cp.async that reads fewer bytes than it writes: a part of a word, at the very end of the source,
// and only in some threads.
// arch: 80
// launch: grid 1 block 32
// in a: u8 10 = i + 1
// out y: u8 256
// expect y[i] = i < 16 || i >= 24 ? 9 : i == 16 ? 9 : i == 17 ? 10 : 0
extern "C" __global__ void fill(const unsigned char *a, unsigned char *y) {
    __shared__ __align__(16) unsigned char tile[256];
    int t = threadIdx.x;
    for (int k = 0; k < 8; k++) {
        tile[8 * t + k] = 9;
    }
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[8 * t]);
    // Thread 2 copies the last two bytes of the source; the others nothing, from beyond it.
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %3, 2; @p cp.async.ca.shared.global [%0], [%1], 8, %2; }" ::"r"(at),
                 "l"(a + 4 * t), "r"(2), "r"(t)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        y[8 * t + k] = tile[8 * t + k];
    }
}
