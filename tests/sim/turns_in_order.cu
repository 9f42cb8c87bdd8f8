// Blocks take turns: each waits until those before it are done, adds its part, and hands on.
// launch: grid 4 block 32
// inout turn: i32 1 = 0
// inout sum: i32 1 = 0
// expect sum = 96
extern "C" __global__ void turns(volatile int *turn, int *sum) {
    if (threadIdx.x == 0) {
        int mine = blockIdx.x;
        while (*turn < mine) {
        }
        __threadfence();
        *sum += mine * 16;
        __threadfence();
        *turn = mine + 1;
    }
}
