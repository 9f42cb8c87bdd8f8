// Two pinned buffers take turns, and the host waits only before it fills one again.
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
        h[i].key = 3 * i + batch;
    }
}

__global__ void add_keys(const Record *x, unsigned *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, x[i].key);
    }
}

void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n, int first) {
    size_t bytes = n * sizeof(Record);
    Record *both;
    cudaEvent_t copied[2];
    CHECK(cudaMallocHost(&both, 2 * bytes));
    CHECK(cudaEventCreate(&copied[0]));
    CHECK(cudaEventCreate(&copied[1]));
    CHECK(cudaMemset(d_sums, 0, batches * sizeof(unsigned)));

    for (int b = 0; b < batches; b++) {
        Record *h = both + b % 2 * n;
        CHECK(cudaEventSynchronize(copied[b % 2]));
        make_batch(h, n, first + b);
        CHECK(cudaMemcpyAsync(d_x, h, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(copied[b % 2]));
        add_keys<<<(n + 255) / 256, 256>>>((Record *)d_x, d_sums + b, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(both));
    CHECK(cudaEventDestroy(copied[0]));
    CHECK(cudaEventDestroy(copied[1]));
}

int main() {
    unsigned sums[3], *d_sums;
    unsigned char *d_x;
    CHECK(cudaMalloc(&d_sums, sizeof(sums)));
    CHECK(cudaMalloc(&d_x, 100 * sizeof(Record)));
    sum_keys(d_sums, d_x, 3, 100, 7);
    CHECK(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost));
    printf("%u %u %u\n", sums[0], sums[1], sums[2]); // 15550 15650 15750
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_sums));
}
