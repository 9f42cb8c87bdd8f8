// Every block reads all of the array; the last but one changes an element of it.
// launch: grid 4 block 64
// inout x: i32 2048 = i
// out y: i32 256
// finding: R002
extern "C" __global__ void sum(int *x, int *y) {
    int sum = 0;
    for (int k = threadIdx.x; k < 2048; k += 64) {
        sum += x[k]; //~ R002
    }
    if (blockIdx.x == 2 && threadIdx.x == 5) {
        x[1030] = sum; //~ R002
    }
    y[blockIdx.x * 64 + threadIdx.x] = sum;
}
