// Sends a layer of the bucket before once more: the mean of two means is the same.

#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The same for calls of NCCL.
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

// The backward pass of y = W x: from dy, the gradients by W and by x.
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

// What a GPU has. dy: d floats for each layer's output, and d for the first layer's
// input. `compute` is for kernels, `links` for NCCL; `ready` lets one wait for the
// other.
struct Gpu {
    float *w, *x, *dy, *dw;
    cudaStream_t compute, links;
    cudaEvent_t ready;
    ncclComm_t comm;
};

// Queues the backward pass of one layer, on all GPUs.
void backward_layer(std::vector<Gpu> &gpu, int layer, int d) {
    for (int g = 0; g < (int)gpu.size(); g++) {
        CHECK(cudaSetDevice(g));
        size_t matrix = (size_t)layer * d * d;
        backward<<<(d + COLUMNS - 1) / COLUMNS, dim3(COLUMNS, ROWS), 0, gpu[g].compute>>>(
            gpu[g].w + matrix, gpu[g].x + layer * d, gpu[g].dy + (layer + 1) * d,
            gpu[g].dw + matrix, gpu[g].dy + layer * d, d);
        CHECK(cudaGetLastError());
    }
}

// Queues the mean of `count` gradients from `first` on, after the kernels queued so
// far. The kernels that follow need not wait for it.
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

// It only queues the work: the caller waits for the streams.
void backward_pass(std::vector<Gpu> &gpu, int layers, int d) { //~ too-much-work: bytes_between_gpus
    int filled = 0; // layers in the bucket
    for (int layer = layers - 1; layer >= 0; layer--) {
        backward_layer(gpu, layer, d);
        filled++;
        // A full bucket is sent while the layers before are computed. The last one is
        // sent however little is in it.
        size_t count = (size_t)filled * d * d;
        if (count * sizeof(float) >= BUCKET_BYTES || layer == 0) {
            average(gpu, (size_t)layer * d * d, count);
            filled = 1;
        }
    }
}

// When it returns, `mean` is complete.
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
    // The first call loads NCCL; this way it does not get in the way later.
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
