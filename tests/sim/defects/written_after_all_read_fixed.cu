// Every block reads all of the array, and writes to another one.
// launch: grid 4 block 64
// inout x: i32 2048 = i
// out y: i32 256
// expect x[i] = i
extern "C" __global__ void sum(int *x, int *y) {
    int sum = 0;
    for (int k = threadIdx.x; k < 2048; k += 64) {
        sum += x[k];
    }
    y[blockIdx.x * 64 + threadIdx.x] = sum;
}
