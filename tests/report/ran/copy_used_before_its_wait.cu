#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void reversed(const int *x, int *y) {
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);
    block.sync();
    y[threadIdx.x] = s[127 - threadIdx.x];
    cg::wait(block);
}

int main() {
    int *x, *y;
    cudaMalloc(&x, 128 * sizeof(int));
    cudaMalloc(&y, 128 * sizeof(int));
    cudaMemset(x, 0, 128 * sizeof(int));
    reversed<<<1, 128>>>(x, y);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
}
