// A class that owns memory can't be copied, and is given by reference.
#include <cstdio>

struct Buffer {
    float *data = nullptr;
    int n;
    explicit Buffer(int n) : n(n) {
        if (cudaMalloc(&data, n * sizeof(float)) != cudaSuccess) data = nullptr;
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() {
        if (cudaFree(data) != cudaSuccess) printf("free failed\n");
    }
};

__global__ void ramp(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * i;
}

void fill(Buffer &b) {
    ramp<<<(b.n + 63) / 64, 64>>>(b.data, b.n);
    if (cudaDeviceSynchronize() == cudaSuccess) printf("filled %d\n", b.n);
}

int main() {
    Buffer b(500);
    fill(b);
    printf("done\n");
    return 0;
}
