// Each half of the room has a stream of its own, with its copies and its kernels.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int RECORD = 1024; // numbers of a record

__global__ void hash(const unsigned *x, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = x[i * RECORD] ^ x[i * RECORD + RECORD - 1];
        for (int round = 0; round < 1200; round++) {
            h = (h ^ h >> 15) * 2246822519;
        }
        out[i] = h;
    }
}

void hash_all(const unsigned *data, unsigned *d_out, unsigned *d_room, int batches, int n) {
    size_t numbers = (size_t)n * RECORD, bytes = numbers * sizeof(unsigned);
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams) {
        CHECK(cudaStreamCreate(&stream));
    }
    for (int b = 0; b < batches; b++) {
        cudaStream_t stream = streams[b % 2];
        unsigned *d_x = d_room + b % 2 * numbers;
        CHECK(cudaMemcpyAsync(d_x, data + b * numbers, bytes, cudaMemcpyHostToDevice, stream));
        hash<<<(n + 63) / 64, 64, 0, stream>>>(d_x, d_out + b * n, n);
        CHECK(cudaGetLastError());
    }
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
}

int main() {
    const int BATCHES = 12, N = 64;
    size_t bytes = N * RECORD * sizeof(unsigned);
    unsigned *data, *d_out, *d_room, out[BATCHES * N];
    CHECK(cudaMallocHost(&data, BATCHES * bytes));
    CHECK(cudaMalloc(&d_out, sizeof(out)));
    CHECK(cudaMalloc(&d_room, 2 * bytes));
    for (int i = 0; i < BATCHES * N; i++) {
        data[i * RECORD] = i + 1;
        data[i * RECORD + RECORD - 1] = 0;
    }
    hash_all(data, d_out, d_room, BATCHES, N);
    CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    printf("%08x %08x\n", out[0], out[BATCHES * N - 1]); // 179151d2 f2cbfbc5
    CHECK(cudaFree(d_room));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeHost(data));
}
