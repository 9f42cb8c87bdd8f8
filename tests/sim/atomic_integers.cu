// Every integer atomic on global memory, from many threads.
// launch: grid 4 block 64
// inout y: i32 10 = i == 2 ? 2147483647 : i == 3 ? -2147483648 : i == 4 ? -1 : i == 8 ? 5 : 0
// out old: i32 256
// expect y = 256 -32640 0 255 1073741824 2147483647 1 56 9 1000
// expect old[i] = -1
extern "C" __global__ void atomics(int *y, int *old) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int before = atomicAdd(&y[0], 1);
    atomicSub(&y[1], i);
    atomicMin(&y[2], i);
    atomicMax(&y[3], i);
    atomicAnd(&y[4], 1073741824 | i);
    atomicOr(&y[5], 1 << (i % 31));
    atomicXor(&y[6], i == 17 ? 1 : 0);
    atomicInc((unsigned *)&y[7], 99);
    atomicDec((unsigned *)&y[8], 9);
    if (i == 100) {
        atomicExch(&y[9], 1000);
    }
    old[i] = before >= 0 && before < 256 ? -1 : before;
}
