// Three buffers of the host take turns, parts of one allocation.
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

struct Record {
    unsigned key;
    unsigned char picture[1020];
};

void make_batch(Record *h, int n, int batch) {
    for (int i = 0; i < n; i++) {
        unsigned key = 3 * i + batch;
        for (int round = 0; round < 30; round++) {
            key = (key ^ key >> 15) * 2246822519;
        }
        h[i].key = key;
    }
}

__global__ void add_keys(const Record *x, unsigned *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, x[i].key);
    }
}

void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n) {
    size_t bytes = n * sizeof(Record);
    Record *h;
    cudaEvent_t copied[3];
    CHECK(cudaMallocHost(&h, 3 * bytes));
    for (cudaEvent_t &event : copied) {
        CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    CHECK(cudaMemset(d_sums, 0, batches * sizeof(unsigned)));

    for (int b = 0; b < batches; b++) {
        int k = b % 3;
        Record *room = h + k * n;
        CHECK(cudaEventSynchronize(copied[k]));
        make_batch(room, n, b);
        CHECK(cudaMemcpyAsync(d_x, room, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(copied[k]));
        add_keys<<<(n + 255) / 256, 256>>>((Record *)d_x, d_sums + b, n);
        CHECK(cudaGetLastError());
    }

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(h));
    for (cudaEvent_t event : copied) {
        CHECK(cudaEventDestroy(event));
    }
}

int main() {
    unsigned sums[3], *d_sums;
    unsigned char *d_x;
    CHECK(cudaMalloc(&d_sums, sizeof(sums)));
    CHECK(cudaMalloc(&d_x, 100 * sizeof(Record)));
    sum_keys(d_sums, d_x, 3, 100);
    CHECK(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost));
    printf("%u %u %u\n", sums[0], sums[1], sums[2]); // 3787946491 2263668732 3141448770
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_sums));
}
