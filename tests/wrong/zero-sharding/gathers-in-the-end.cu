// Gathers the weights once, after the last step: the forward passes before had old ones.

#include <cmath>
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

const float BETA_M = 0.9f, BETA_V = 0.99f, RATE = 0.01f, TINY = 1e-8f;

// A step of Adam for n weights, as in `adam`.
__global__ void update(float *p, float *m, float *v, const float *g, float scale_m, float scale_v,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        m[i] = BETA_M * m[i] + (1 - BETA_M) * g[i];
        v[i] = BETA_V * v[i] + (1 - BETA_V) * g[i] * g[i];
        p[i] -= RATE * (m[i] * scale_m) / (sqrtf(v[i] * scale_v) + TINY);
    }
}

// What a GPU has. p, g: weights and gradients, gpus * part floats each; m, v:
// Adam's state, `part` floats each, of the weights from rank * part on.
struct Gpu {
    float *p, *g, *m, *v;
    cudaStream_t stream;
    ncclComm_t comm;
};

// Allocates `count` floats on the current device, all zero.
float *make(size_t count) {
    float *room;
    CHECK(cudaMalloc(&room, count * sizeof(float)));
    CHECK(cudaMemset(room, 0, count * sizeof(float)));
    return room;
}

// Step t, counted from 1: turns the GPUs' gradients in g into new weights in p. It
// only queues the work.
void step(std::vector<Gpu> &gpu, int part, int t, bool last) { //~ too-much-work: bytes_between_gpus
    float scale_m = 1 / (1 - powf(BETA_M, t)), scale_v = 1 / (1 - powf(BETA_V, t));
    // Rank r gets the mean of part r, and no other. It replaces its own numbers.
    CHECK_NCCL(ncclGroupStart());
    for (int r = 0; r < (int)gpu.size(); r++) {
        CHECK_NCCL(ncclReduceScatter(gpu[r].g, gpu[r].g + r * part, part, ncclFloat, ncclAvg,
                                     gpu[r].comm, gpu[r].stream));
    }
    CHECK_NCCL(ncclGroupEnd());

    // So it has everything it needs to update this part.
    for (int r = 0; r < (int)gpu.size(); r++) {
        CHECK(cudaSetDevice(r));
        update<<<(part + 255) / 256, 256, 0, gpu[r].stream>>>(
            gpu[r].p + r * part, gpu[r].m, gpu[r].v, gpu[r].g + r * part, scale_m, scale_v, part);
        CHECK(cudaGetLastError());
    }

    if (!last) {
        return;
    }
    // All weights, on every GPU: in the end is enough.
    CHECK_NCCL(ncclGroupStart());
    for (int r = 0; r < (int)gpu.size(); r++) {
        CHECK_NCCL(ncclAllGather(gpu[r].p + r * part, gpu[r].p, part, ncclFloat, gpu[r].comm,
                                 gpu[r].stream));
    }
    CHECK_NCCL(ncclGroupEnd());
}

// When it returns, `trained` is complete.
void train(const float *weights, const float *gradients, float *trained, int n, int steps) {
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    // Parts of equal size, so the last one may end with some that stay zero.
    int part = (n + gpus - 1) / gpus;
    std::vector<Gpu> gpu(gpus);
    std::vector<ncclComm_t> comms(gpus);
    CHECK_NCCL(ncclCommInitAll(comms.data(), gpus, nullptr));
    for (int r = 0; r < gpus; r++) {
        gpu[r].comm = comms[r];
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamCreate(&gpu[r].stream));
        gpu[r].p = make(gpus * part);
        gpu[r].g = make(gpus * part);
        gpu[r].m = make(part);
        gpu[r].v = make(part);
        CHECK(cudaMemcpyAsync(gpu[r].p, weights, n * sizeof(float), cudaMemcpyHostToDevice,
                              gpu[r].stream));
    }

    for (int t = 1; t <= steps; t++) {
        for (int r = 0; r < gpus; r++) { // instead of a backward pass
            CHECK(cudaMemcpyAsync(gpu[r].g, gradients + ((size_t)(t - 1) * gpus + r) * n,
                                  n * sizeof(float), cudaMemcpyHostToDevice, gpu[r].stream));
        }
        step(gpu, part, t, t == steps);
    }

    for (int r = 0; r < gpus; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaMemcpyAsync(trained + (size_t)r * n, gpu[r].p, n * sizeof(float),
                              cudaMemcpyDeviceToHost, gpu[r].stream));
    }
    for (int r = 0; r < gpus; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(gpu[r].stream));
        CHECK(cudaFree(gpu[r].p));
        CHECK(cudaFree(gpu[r].g));
        CHECK(cudaFree(gpu[r].m));
        CHECK(cudaFree(gpu[r].v));
        CHECK(cudaStreamDestroy(gpu[r].stream));
        CHECK_NCCL(ncclCommDestroy(gpu[r].comm));
    }
    CHECK(cudaSetDevice(0));
}

int main() {
    const int N = 100000, STEPS = 2;
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    float *weights, *gradients, *trained;
    CHECK(cudaMallocHost(&weights, N * sizeof(float)));
    CHECK(cudaMallocHost(&gradients, (size_t)STEPS * gpus * N * sizeof(float)));
    CHECK(cudaMallocHost(&trained, (size_t)gpus * N * sizeof(float)));
    for (int i = 0; i < N; i++) {
        weights[i] = 1;
    }
    for (int i = 0; i < STEPS * gpus * N; i++) {
        gradients[i] = 0.5f;
    }
    train(weights, gradients, trained, N, STEPS);
    printf("%g %g\n", trained[0], trained[(size_t)gpus * N - 1]); // two steps of RATE down
    CHECK(cudaFreeHost(weights));
    CHECK(cudaFreeHost(gradients));
    CHECK(cudaFreeHost(trained));
}
