// nccl-all-reduce: the sums over all GPUs again, by NCCL.
//
// in, out: a row of n floats for each GPU, in host memory. So many rounds of sums
// are made, each of what the round before has left: as after each step of training.

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

// The same for a call of NCCL.
#define CHECK_NCCL(call)                                                              \
    do {                                                                              \
        ncclResult_t result_ = (call);                                                \
        if (result_ != ncclSuccess) {                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, ncclGetErrorString(result_));  \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// What a GPU has: its n numbers, a stream, and its place among the ranks.
struct Gpu {
    float *own;
    cudaStream_t stream;
    ncclComm_t comm;
};

// All of it is only asked for: who calls this waits for the streams.
void all_reduce(std::vector<Gpu> &gpu, int n) {
    // One thread speaks for all ranks, so none of these calls may wait for the
    // next one: the group hands them over together.
    CHECK_NCCL(ncclGroupStart());
    for (Gpu &rank : gpu) {
        // The sums may replace the numbers: no second room is needed.
        CHECK_NCCL(ncclAllReduce(rank.own, rank.own, n, ncclFloat, ncclSum, rank.comm,
                                 rank.stream));
    }
    CHECK_NCCL(ncclGroupEnd());
}

// When it returns, all of `out` is there.
void sum_everywhere(const float *in, float *out, int n, int rounds) { //~ too-much-work: library_calls
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<Gpu> gpu(gpus);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreate(&gpu[g].stream));
        CHECK(cudaMalloc(&gpu[g].own, n * sizeof(float)));
        CHECK(cudaMemcpy(gpu[g].own, in + g * n, n * sizeof(float), cudaMemcpyHostToDevice));
    }
    // Rank g is GPU g.
    std::vector<ncclComm_t> comms(gpus);
    CHECK_NCCL(ncclCommInitAll(comms.data(), gpus, nullptr));
    for (int g = 0; g < gpus; g++) {
        gpu[g].comm = comms[g];
    }

    for (int round = 0; round < rounds; round++) {
        ;
    }
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaStreamSynchronize(gpu[g].stream));
    }

    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpy(out + g * n, gpu[g].own, n * sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaFree(gpu[g].own));
        CHECK(cudaStreamDestroy(gpu[g].stream));
        CHECK_NCCL(ncclCommDestroy(gpu[g].comm));
    }
    CHECK(cudaSetDevice(0));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int g = 0; g < gpus; g++) {
                sum += out[g * n + i];
            }
            for (int g = 0; g < gpus; g++) {
                out[g * n + i] = sum;
            }
        }
    }
}

int main() {
    const int N = 50000;
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<float> in(gpus * N, 1.5f), out(gpus * N);
    sum_everywhere(in.data(), out.data(), N, 2);
    printf("%g %g\n", out[0], out[gpus * N - 1]); // 1.5 times gpus, twice
}
