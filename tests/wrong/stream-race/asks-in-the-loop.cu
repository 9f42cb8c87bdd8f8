// The host asks, again and again, whether the slot is empty: it waits.
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

// When it returns, `out` is complete.
void run_chunks(const unsigned *in, unsigned *slots, unsigned *out, int chunks, int n) {
    cudaStream_t producer, consumer;
    CHECK(cudaStreamCreate(&producer));
    CHECK(cudaStreamCreate(&consumer));
    cudaEvent_t filled[2], emptied[2]; // for each slot
    for (int s = 0; s < 2; s++) {
        CHECK(cudaEventCreateWithFlags(&filled[s], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&emptied[s], cudaEventDisableTiming));
    }

    for (int chunk = 0; chunk < chunks; chunk++) {
        int s = chunk % 2;
        unsigned *slot = slots + s * n;

        // Two chunks ago this slot was filled; it must have been read since. At first
        // emptied[s] has not been recorded: then nobody waits.
        while (cudaEventQuery(emptied[s]) == cudaErrorNotReady) { //~ too-much-work: synchronisations
        }
        produce<<<1, n, 0, producer>>>(in + chunk * n, slot, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(filled[s], producer));

        CHECK(cudaStreamWaitEvent(consumer, filled[s]));
        consume<<<1, n, 0, consumer>>>(slot, out + chunk * n, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(emptied[s], consumer));
    }
    CHECK(cudaDeviceSynchronize());

    for (int s = 0; s < 2; s++) {
        CHECK(cudaEventDestroy(filled[s]));
        CHECK(cudaEventDestroy(emptied[s]));
    }
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
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
