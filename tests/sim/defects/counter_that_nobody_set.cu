// A block takes a ticket from a counter that nobody set.
// launch: grid 1 block 32
// out counter: i32 1
// out y: i32 32
// finding: I001
// finding: M001
// names: counter
// note: The address is computed from what line 12 reads where nothing was written (I001): fix that first.
extern "C" __global__ void deal(int *counter, int *y) {
    __shared__ int ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(counter, 1); //~ I001
    __syncthreads();
    y[ticket * 32 + threadIdx.x] = 1; //~ M001
}
