// The gradients are added up, and the kernel divides by the number of GPUs.
#include <cmath>
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

const float BETA_M = 0.9f, BETA_V = 0.99f, RATE = 0.01f, TINY = 1e-8f;

__global__ void update(float *p, float *m, float *v, const float *g, float scale_m, float scale_v,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float mean = g[i] / 3;
        m[i] = BETA_M * m[i] + (1 - BETA_M) * mean;
        v[i] = BETA_V * v[i] + (1 - BETA_V) * mean * mean;
        p[i] -= RATE * (m[i] * scale_m) / (sqrtf(v[i] * scale_v) + TINY);
    }
}

struct Gpu {
    float *p, *g, *m, *v;
    cudaStream_t stream;
    ncclComm_t comm;
};

float *make(size_t count) {
    float *room;
    CHECK(cudaMalloc(&room, count * sizeof(float)));
    CHECK(cudaMemset(room, 0, count * sizeof(float)));
    return room;
}

void step(std::vector<Gpu> &gpu, int part, int t) {
    float scale_m = 1 / (1 - powf(BETA_M, t)), scale_v = 1 / (1 - powf(BETA_V, t));
    CHECK_NCCL(ncclGroupStart());
    for (Gpu &its : gpu) {
        float *own = its.g + (&its - gpu.data()) * part;
        CHECK_NCCL(ncclReduceScatter(its.g, own, part, ncclFloat, ncclSum, its.comm, its.stream));
    }
    CHECK_NCCL(ncclGroupEnd());

    for (int r = 0; r < (int)gpu.size(); r++) {
        CHECK(cudaSetDevice(r));
        update<<<(part + 255) / 256, 256, 0, gpu[r].stream>>>(
            gpu[r].p + r * part, gpu[r].m, gpu[r].v, gpu[r].g + r * part, scale_m, scale_v, part);
        CHECK(cudaGetLastError());
    }

    CHECK_NCCL(ncclGroupStart());
    for (int r = 0; r < (int)gpu.size(); r++) {
        CHECK_NCCL(ncclAllGather(gpu[r].p + r * part, gpu[r].p, part, ncclFloat, gpu[r].comm,
                                 gpu[r].stream));
    }
    CHECK_NCCL(ncclGroupEnd());
}

void train(const float *weights, const float *gradients, float *trained, int n, int steps) {
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
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
        for (int r = 0; r < gpus; r++) { // in place of a backward pass
            CHECK(cudaMemcpyAsync(gpu[r].g, gradients + ((size_t)(t - 1) * gpus + r) * n,
                                  n * sizeof(float), cudaMemcpyHostToDevice, gpu[r].stream));
        }
        step(gpu, part, t);
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
