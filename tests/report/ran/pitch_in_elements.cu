// The pitch is in bytes, and is added to a pointer to floats; then the padding is read like a row.
#include <cstdio>

__global__ void fill(float *p, size_t pitch, int width) {
    int x = threadIdx.x;
    if (x < width) p[blockIdx.x * pitch + x] = x;
}

__global__ void sum(const float *p, float *out, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    *out = s;
}

int main() {
    float *rows, *out;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 20 * sizeof(float), 10);
    cudaMalloc(&out, sizeof(float));
    cudaMemset2D(rows, pitch, 0, 20 * sizeof(float), 10);
    sum<<<1, 1>>>(rows, out, 200);
    fill<<<10, 32>>>(rows, pitch, 20);
    cudaDeviceSynchronize();
}
