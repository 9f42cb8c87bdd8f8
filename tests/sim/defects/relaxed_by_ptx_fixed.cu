// A release store and an acquire load hand on what came before.
// launch: grid 2 block 1
// inout flag: i32 1 = 0
// inout data: i32 1 = 0
// out y: i32 1
// expect y = 7
extern "C" __global__ void hand_over(int *flag, int *data, int *y) {
    if (blockIdx.x == 0) {
        *data = 7;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int up;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
        } while (!up);
        *y = *data;
    }
}
