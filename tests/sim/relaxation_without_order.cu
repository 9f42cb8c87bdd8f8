// Each block takes over whatever its neighbour has, however old: values that no signal announces.
// launch: grid 4 block 32
// inout x: i32 128 = 1
// inout rounds: i32 4 = 0
// out y: i32 128
// expect y[i] = 1
extern "C" __global__ void relax(volatile int *x, volatile int *rounds, int *y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int round = 0; round < 3; round++) {
        int left = x[(i + 127) % 128];
        x[i] = left;
        if (threadIdx.x == 0) rounds[blockIdx.x] = round;
    }
    y[i] = x[(i + 64) % 128];
}
