// Each slot has a stream, in which its chunks are produced and consumed in turn.
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

__device__ unsigned scrambled(unsigned v) {
    for (int step = 0; step < 800; step++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    return v;
}

__global__ void produce(const unsigned *in, unsigned *slot, int n) {
    int i = threadIdx.x;
    if (i < n) {
        slot[i] = scrambled(in[i]);
    }
}

__global__ void consume(const unsigned *slot, unsigned *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = scrambled(slot[i] + slot[(i + 1) % n]);
    }
}

void run_chunks(const unsigned *in, unsigned *slots, unsigned *out, int chunks, int n) {
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams) {
        CHECK(cudaStreamCreate(&stream));
    }

    for (int chunk = 0; chunk < chunks; chunk++) {
        int s = chunk % 2;
        unsigned *slot = slots + s * n;

        produce<<<1, n, 0, streams[s]>>>(in + chunk * n, slot, n);
        CHECK(cudaGetLastError());
        consume<<<1, n, 0, streams[s]>>>(slot, out + chunk * n, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());

    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
}

int main() {
    const int CHUNKS = 4, N = 64;
    unsigned *in, *slots, *out, host[CHUNKS * N];
    CHECK(cudaMalloc(&in, sizeof(host)));
    CHECK(cudaMalloc(&slots, 2 * N * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, sizeof(host)));
    for (int i = 0; i < CHUNKS * N; i++) {
        host[i] = i + 1;
    }
    CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    run_chunks(in, slots, out, CHUNKS, N);
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    printf("%u %u %u %u\n", host[0], host[N], host[2 * N], host[3 * N]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(slots));
    CHECK(cudaFree(out));
}
