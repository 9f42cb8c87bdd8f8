// One warp hands items to another through a ring; fences stand before and after the head.
// launch: grid 1 block 64
// out y: i32 8
// expect y[i] = i * 3
extern "C" __global__ void ring(int *y) {
    __shared__ int items[8];
    __shared__ volatile int head;
    if (threadIdx.x == 0) {
        head = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < 8; k++) {
            items[k] = k * 3;
            __threadfence_block();
            head = k + 1;
        }
    } else if (threadIdx.x == 32) {
        for (int k = 0; k < 8; k++) {
            while (head <= k) {
            }
            __threadfence_block();
            y[k] = items[k];
        }
    }
}
