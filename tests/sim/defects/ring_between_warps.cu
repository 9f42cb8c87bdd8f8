// One warp hands items to another through a ring; the head rises without a fence.
// launch: grid 1 block 64
// out y: i32 8
// finding: R001
extern "C" __global__ void ring(int *y) {
    __shared__ int items[8];
    __shared__ volatile int head;
    if (threadIdx.x == 0) {
        head = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < 8; k++) {
            items[k] = k * 3; //~ R001
            head = k + 1;
        }
    } else if (threadIdx.x == 32) {
        for (int k = 0; k < 8; k++) {
            while (head <= k) {
            }
            y[k] = items[k]; //~ R001
        }
    }
}
