// The last GPU first; the bucket is counted in elements.
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define CHECK_NCCL(call)                                                              \
    do {                                                                              \
        ncclResult_t result_ = (call);                                                \
        if (result_ != ncclSuccess) {                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, ncclGetErrorString(result_));  \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int BUCKET_BYTES = 512 << 10;

const int COLUMNS = 32, ROWS = 4; // threads of a block

__global__ void backward(const float *w, const float *x, const float *dy, float *dw, float *dx,
                         int d) {
    __shared__ float part[ROWS][COLUMNS];
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    float sum = 0;
    for (int r = threadIdx.y; r < d && c < d; r += ROWS) {
        dw[r * d + c] = dy[r] * x[c];
        sum += w[r * d + c] * dy[r];
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && c < d) {
        for (int k = 1; k < ROWS; k++) {
            sum += part[k][threadIdx.x];
        }
        dx[c] = sum;
    }
}

struct Gpu {
    float *w, *x, *dy, *dw;
    cudaStream_t compute, links;
    cudaEvent_t ready;
    ncclComm_t comm;
};

void backward_layer(std::vector<Gpu> &gpu, int layer, int d) {
    for (int g = (int)gpu.size() - 1; g >= 0; g--) {
        CHECK(cudaSetDevice(g));
        size_t matrix = (size_t)layer * d * d;
        backward<<<(d + COLUMNS - 1) / COLUMNS, dim3(COLUMNS, ROWS), 0, gpu[g].compute>>>(
            gpu[g].w + matrix, gpu[g].x + layer * d, gpu[g].dy + (layer + 1) * d,
            gpu[g].dw + matrix, gpu[g].dy + layer * d, d);
        CHECK(cudaGetLastError());
    }
}

void average(std::vector<Gpu> &gpu, size_t first, size_t count) {
    for (int g = 0; g < (int)gpu.size(); g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaEventRecord(gpu[g].ready, gpu[g].compute));
        CHECK(cudaStreamWaitEvent(gpu[g].links, gpu[g].ready));
    }
    CHECK_NCCL(ncclGroupStart());
    for (Gpu &rank : gpu) {
        CHECK_NCCL(ncclAllReduce(rank.dw + first, rank.dw + first, count, ncclFloat, ncclAvg,
                                 rank.comm, rank.links));
    }
    CHECK_NCCL(ncclGroupEnd());
}

void backward_pass(std::vector<Gpu> &gpu, int layers, int d) {
    size_t each = (size_t)d * d, end = layers * each, first = end;
    for (int layer = layers; layer-- > 0;) {
        backward_layer(gpu, layer, d);
        first -= each;
        if (layer == 0 || (end - first) * sizeof(float) >= BUCKET_BYTES) {
            average(gpu, first, end - first);
            end = first;
        }
    }
}

void gradients(const float *weights, const float *x, const float *dy, float *mean, int layers,
               int d) {
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<Gpu> gpu(gpus);
    std::vector<ncclComm_t> comms(gpus);
    CHECK_NCCL(ncclCommInitAll(comms.data(), gpus, nullptr));
    size_t matrices = (size_t)layers * d * d;
    for (int g = 0; g < gpus; g++) {
        gpu[g].comm = comms[g];
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreateWithFlags(&gpu[g].compute, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&gpu[g].links, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&gpu[g].ready, cudaEventDisableTiming));
        // One allocation for all four: each call costs time.
        CHECK(cudaMalloc(&gpu[g].w, (2 * matrices + (2 * layers + 1) * d) * sizeof(float)));
        gpu[g].dw = gpu[g].w + matrices;
        gpu[g].x = gpu[g].dw + matrices;
        gpu[g].dy = gpu[g].x + layers * d;
        CHECK(cudaMemcpy(gpu[g].w, weights, matrices * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(gpu[g].x, x + g * layers * d, layers * d * sizeof(float),
                         cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(gpu[g].dy + layers * d, dy + g * d, d * sizeof(float),
                         cudaMemcpyHostToDevice));
    }
    CHECK_NCCL(ncclGroupStart());
    for (Gpu &rank : gpu) {
        CHECK_NCCL(ncclAllReduce(rank.x, rank.dw, 1, ncclFloat, ncclAvg, rank.comm, rank.links));
    }
    CHECK_NCCL(ncclGroupEnd());
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
    }

    backward_pass(gpu, layers, d);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaStreamSynchronize(gpu[g].compute));
        CHECK(cudaStreamSynchronize(gpu[g].links));
    }

    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpy(mean + g * matrices, gpu[g].dw, matrices * sizeof(float),
                         cudaMemcpyDeviceToHost));
        CHECK(cudaFree(gpu[g].w));
        CHECK(cudaEventDestroy(gpu[g].ready));
        CHECK(cudaStreamDestroy(gpu[g].compute));
        CHECK(cudaStreamDestroy(gpu[g].links));
        CHECK_NCCL(ncclCommDestroy(gpu[g].comm));
    }
    CHECK(cudaSetDevice(0));
}

int main() {
    const int LAYERS = 6, D = 256;
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<float> weights(LAYERS * D * D, 0.004f), x(gpus * LAYERS * D), dy(gpus * D, 1.0f),
        mean(gpus * LAYERS * D * D);
    for (int g = 0; g < gpus; g++) {
        for (int i = 0; i < LAYERS * D; i++) {
            x[g * LAYERS * D + i] = g + 1; // so the mean is between
        }
    }
    gradients(weights.data(), x.data(), dy.data(), mean.data(), LAYERS, D);
    printf("last layer: %g, first layer: %g\n", mean[(LAYERS - 1) * D * D], mean[0]);
}
