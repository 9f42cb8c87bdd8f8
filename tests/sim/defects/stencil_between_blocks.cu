// Within a block a barrier separates reads from writes; at the edges the next block is read.
// launch: grid 3 block 32
// arg n: i32 = 96
// inout x: i32 96 = i
// out y: i32 96
// finding: R002
// finding: R002
extern "C" __global__ void stencil(int n, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? x[i - 1] : 0; //~ R002
    int right = i < n - 1 ? x[i + 1] : 0; //~ R002
    int sum = i > 0 && i < n - 1 ? left + x[i] + right : 0;
    __syncthreads();
    x[i] = sum; //~ R002
}
