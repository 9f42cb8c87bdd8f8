// A whole grid that waits for itself: a reduction and its use in one launch.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void normalise(float *x, float *partial, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ float s[];
    float sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
    s[block.thread_rank()] = sum;
    block.sync();
    for (int half = block.size() / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half) s[block.thread_rank()] += s[block.thread_rank() + half];
        block.sync();
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
    grid.sync();
    float total = 0;
    for (int b = 0; b < gridDim.x; b++) total += partial[b];
    for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] /= total;
}

int main() {
    int device = 0, cooperative = 0;
    CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    printf("cooperative launches: %s\n", cooperative ? "yes" : "no");
    int n = 5000, blocks = 8, threads = 128;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = 1 + i % 3;
    float *x, *partial;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&partial, blocks * sizeof(float)));
    CHECK(cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    void *arguments[] = {&x, &partial, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)normalise, dim3(blocks), dim3(threads), arguments, threads * sizeof(float), 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : h) sum += v;
    printf("sum %.4f, x[2] / x[0] = %.3f\n", sum, h[2] / h[0]);
    cudaError_t error = cudaLaunchCooperativeKernel((void *)normalise, dim3(1 << 20), dim3(threads), arguments, 512, 0); //~ A012
    printf("a million blocks: %s\n", cudaGetErrorName(error));
    cudaGetLastError();
    cudaFree(x);
    cudaFree(partial);
}
