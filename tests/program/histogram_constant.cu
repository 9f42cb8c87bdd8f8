// Constant memory, device variables and their copies by symbol.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__constant__ int edges[9];
__device__ unsigned total;
__device__ unsigned bins[8] = {1, 0, 0, 0, 0, 0, 0, 0};

__global__ void count(const int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int b = 0; b < 8; b++) {
        if (data[i] >= edges[b] && data[i] < edges[b + 1]) {
            atomicAdd(&bins[b], 1u);
            atomicInc(&total, 0xffffffffu);
        }
    }
}

int main() {
    int h_edges[9];
    for (int i = 0; i < 9; i++) h_edges[i] = i * i * 4;
    CHECK(cudaMemcpyToSymbol(edges, h_edges, sizeof h_edges));
    const int n = 1000;
    int h[n];
    unsigned x = 12345;
    for (int i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        h[i] = x >> 24;
    }
    int *d;
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    unsigned start;
    CHECK(cudaMemcpyFromSymbol(&start, bins, sizeof start));
    printf("bin 0 starts at %u\n", start);
    CHECK(cudaMemcpyToSymbol(bins, &(start = 0), sizeof start, 0, cudaMemcpyHostToDevice));
    count<<<(n + 127) / 128, 128>>>(d, n);
    CHECK(cudaGetLastError());
    unsigned out[8], all;
    CHECK(cudaMemcpyFromSymbol(out, bins, sizeof out));
    CHECK(cudaMemcpyFromSymbol(&all, total, sizeof all));
    unsigned third;
    CHECK(cudaMemcpyFromSymbol(&third, bins, sizeof third, 3 * sizeof(unsigned)));
    for (int b = 0; b < 8; b++) printf("[%3d, %3d) %u\n", h_edges[b], h_edges[b + 1], out[b]);
    printf("total %u, bin 3 again %u\n", all, third);
    void *address;
    size_t bytes;
    CHECK(cudaGetSymbolAddress(&address, bins));
    CHECK(cudaGetSymbolSize(&bytes, bins));
    CHECK(cudaMemset(address, 0, bytes));
    CHECK(cudaMemcpyFromSymbol(out, bins, sizeof out));
    printf("%zu bytes, cleared: %u\n", bytes, out[0] + out[7]);
    cudaFree(d);
}
