// Lanes of a warp wait for each other in turn, without a break out of the loop.
// launch: grid 1 block 32
// inout turn: i32 1 = 0
// out y: i32 32
// expect turn = 32
// expect y[i] = 31 - i
extern "C" __global__ void queue(volatile int *turn, int *y) {
    int mine = 31 - threadIdx.x;
    while (*turn != mine) {
    }
    y[threadIdx.x] = *turn;
    __threadfence();
    *turn = mine + 1;
}
