// One thread stores what all read after a barrier.
// launch: grid 2 block 64
// in a: i32 2 = i + 5
// out y: i32 128
// expect y[i] = i / 64 + 5
extern "C" __global__ void broadcast(const int *a, int *y) {
    __shared__ int value;
    if (threadIdx.x == 0) {
        value = a[blockIdx.x];
    }
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = value;
}
