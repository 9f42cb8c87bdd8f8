// Makes a pool of its own, and never destroys it.
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void square(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] * x[i];
    }
}

__global__ void add_up(const float *y, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, y[i]);
    }
}

// Answers one request: the sum of the squares of the first n numbers of d_x. The
// sizes are not known in advance.
float answer(const float *d_x, int n, cudaStream_t stream) {
    float *d_y, *d_total, total;
    CHECK(cudaMallocAsync(&d_y, n * sizeof(float), stream));
    CHECK(cudaMallocAsync(&d_total, sizeof(float), stream));
    CHECK(cudaMemsetAsync(d_total, 0, sizeof(float), stream));
    square<<<(n + 255) / 256, 256, 0, stream>>>(d_x, d_y, n);
    CHECK(cudaGetLastError());
    add_up<<<(n + 255) / 256, 256, 0, stream>>>(d_y, d_total, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost, stream));
    // After the last use in the same stream, so nobody has to wait for it.
    CHECK(cudaFreeAsync(d_y, stream));
    CHECK(cudaFreeAsync(d_total, stream));
    CHECK(cudaStreamSynchronize(stream)); // for the total
    return total;
}

// answers[r] belongs to a request of sizes[r] numbers.
void answer_all(const float *d_x, const int *sizes, float *answers, int requests) {
    // Without this the pool would return all its memory at each synchronisation, and
    // get it from the driver again for the next request.
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &props)); //~ leak
    CHECK(cudaDeviceSetMemPool(0, pool));
    unsigned long long keep = 64 << 20;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int r = 0; r < requests; r++) {
        answers[r] = answer(d_x, sizes[r], stream);
    }
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    float x[3] = {1, 2, 3}, answers[3], *d_x;
    int sizes[3] = {3, 1, 2};
    CHECK(cudaMalloc(&d_x, sizeof(x)));
    CHECK(cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice));
    answer_all(d_x, sizes, answers, 3);
    printf("%g %g %g\n", answers[0], answers[1], answers[2]); // 14 1 5
    CHECK(cudaFree(d_x));
}
