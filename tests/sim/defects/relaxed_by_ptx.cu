// Relaxed accesses hand on nothing but their own value.
// launch: grid 2 block 1
// inout flag: i32 1 = 0
// inout data: i32 1 = 0
// out y: i32 1
// finding: R002
extern "C" __global__ void hand_over(int *flag, int *data, int *y) {
    if (blockIdx.x == 0) {
        *data = 7; //~ R002
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int up;
        do {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
        } while (!up);
        *y = *data; //~ R002
    }
}
