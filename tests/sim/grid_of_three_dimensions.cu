// Indices and extents in three dimensions.
// launch: grid 2,3,2 block 4,2,3
// out y: i32 288
// expect y[i] = i * 10 + 2 + 3 + 2
extern "C" __global__ void indices(int *y) {
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    y[i] = i * 10 + gridDim.x + gridDim.y + gridDim.z;
}
