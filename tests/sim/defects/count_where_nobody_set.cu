// What is counted where nobody set a beginning is no number, however often it is counted on.
// launch: grid 1 block 32
// out count: i32 1
// out y: i32 32
// finding: I001
extern "C" __global__ void count(int *count, int *y) {
    atomicAdd(count, 1); //~ I001
    __syncthreads();
    y[threadIdx.x] = *count > 0 ? 1 : 2;
}
