// A token goes round the blocks of a grid, again and again; those without it wait.
// launch: grid 40 block 32
// inout token: i32 1 = 0
// inout sum: i32 1 = 0
// expect token = 1200
// expect sum = 23400
extern "C" __global__ void round_robin(int *token, int *sum) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < 30; round++) {
        while (atomicAdd(token, 0) != round * gridDim.x + blockIdx.x) {
        }
        atomicAdd(sum, blockIdx.x);
        __threadfence();
        atomicAdd(token, 1);
    }
}
