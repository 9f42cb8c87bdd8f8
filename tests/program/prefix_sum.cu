// A scan over many blocks in three kernels, recursive on the host.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

const int BLOCK = 128;

__global__ void scan_block(const int *in, int *out, int *sums, int n) {
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = s[from][t];
    if (t == BLOCK - 1 && sums) sums[blockIdx.x] = s[from][t];
}

__global__ void add_sums(int *out, const int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan(const int *in, int *out, int n) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    int *sums = nullptr;
    if (blocks > 1) CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    scan_block<<<blocks, BLOCK>>>(in, out, sums, n);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_sums<<<blocks, BLOCK>>>(out, sums, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFree(sums));
    }
}

int main() {
    for (int n : {1, 127, 128, 129, 20000}) {
        std::vector<int> h(n), got(n);
        for (int i = 0; i < n; i++) h[i] = i % 5 - 1;
        int *d_in, *d_out;
        CHECK(cudaMalloc(&d_in, n * sizeof(int)));
        CHECK(cudaMalloc(&d_out, n * sizeof(int)));
        CHECK(cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        scan(d_in, d_out, n);
        CHECK(cudaMemcpy(got.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        int sum = 0, wrong = 0;
        for (int i = 0; i < n; i++) {
            sum += h[i];
            wrong += got[i] != sum;
        }
        printf("n = %d: %d wrong, last %d\n", n, wrong, got[n - 1]);
        CHECK(cudaFree(d_in));
        CHECK(cudaFree(d_out));
    }
}
