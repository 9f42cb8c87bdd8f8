// elect.sync chooses one lane of the warp.
// launch: grid 1 block 64
// inout y: i32 1 = 0
// expect y = 2
// arch: 90
extern "C" __global__ void elect(int *y) {
    int chosen;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(chosen));
    if (chosen) {
        atomicAdd(y, 1);
    }
}
