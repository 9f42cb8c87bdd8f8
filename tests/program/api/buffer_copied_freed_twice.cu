// A class with a destructor and no copy constructor, given by value: two objects free one pointer.
#include <cstdio>

struct Buffer {
    float *data = nullptr;
    int n;
    explicit Buffer(int n) : n(n) {
        if (cudaMalloc(&data, n * sizeof(float)) != cudaSuccess) data = nullptr;
    }
    ~Buffer() {
        if (cudaFree(data) != cudaSuccess) printf("free failed\n"); //~ A006
    }
};

__global__ void ramp(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * i;
}

void fill(Buffer b) {
    ramp<<<(b.n + 63) / 64, 64>>>(b.data, b.n);
    if (cudaDeviceSynchronize() == cudaSuccess) printf("filled %d\n", b.n);
}

int main() {
    Buffer b(500);
    fill(b);
    printf("done\n");
    return 0;
}
