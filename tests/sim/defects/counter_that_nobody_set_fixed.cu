// Each block takes a ticket from a counter that begins at zero.
// launch: grid 2 block 32
// inout counter: i32 1 = 0
// out y: i32 64
// expect y[i] = 1
extern "C" __global__ void deal(int *counter, int *y) {
    __shared__ int ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(counter, 1);
    __syncthreads();
    y[ticket * 32 + threadIdx.x] = 1;
}
