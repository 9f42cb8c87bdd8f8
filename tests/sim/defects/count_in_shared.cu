// All lanes of a warp add one to one counter, in one statement.
// launch: grid 1 block 32
// out y: i32 1
// finding: R001
extern "C" __global__ void count(int *y) {
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncwarp();
    counter += 1; //~ R001
    __syncwarp();
    if (threadIdx.x == 0) {
        *y = counter;
    }
}
