// Asks whether the copy is done, and does not listen to the answer.
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

// A picture and its key: 1 KiB.
struct Record {
    unsigned key;
    unsigned char picture[1020];
};

// Stands for whatever the host has to do for a batch: decode, sort, check. Leave it
// as it is.
void make_batch(Record *h, int n, int batch) {
    for (int i = 0; i < n; i++) {
        unsigned key = 3 * i + batch;
        for (int round = 0; round < 30; round++) {
            key = (key ^ key >> 15) * 2246822519;
        }
        h[i].key = key; //~ host-writes-in-flight
    }
}

// Adds the keys of n records to *total.
__global__ void add_keys(const Record *x, unsigned *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, x[i].key);
    }
}

// d_sums[b] becomes the sum of the keys of batch b, modulo 2^32. d_sums, and d_x with
// room for the n records of a batch, are in device memory.
void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n) {
    size_t bytes = n * sizeof(Record);
    Record *h[2];
    cudaEvent_t copied[2];
    // One allocation for both: each call costs time.
    CHECK(cudaMallocHost(&h[0], 2 * bytes));
    h[1] = h[0] + n;
    CHECK(cudaEventCreate(&copied[0]));
    CHECK(cudaEventCreate(&copied[1]));
    CHECK(cudaMemset(d_sums, 0, batches * sizeof(unsigned)));

    for (int b = 0; b < batches; b++) {
        int k = b % 2;
        // Only the copy from two batches ago reads this memory. What came after it
        // need not be done. (A wait for an event never recorded does nothing.)
        cudaEventQuery(copied[k]);
        make_batch(h[k], n, b);
        CHECK(cudaMemcpyAsync(d_x, h[k], bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(copied[k]));
        // The next copy to d_x runs after this kernel: they are in one stream.
        add_keys<<<(n + 255) / 256, 256>>>((Record *)d_x, d_sums + b, n);
        CHECK(cudaGetLastError());
    }

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(h[0]));
    CHECK(cudaEventDestroy(copied[0]));
    CHECK(cudaEventDestroy(copied[1]));
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
