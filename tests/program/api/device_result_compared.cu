// The check on the host reads the kernel's output where it lies, on the device.
// exit: stopped
#include <iostream>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void fill(int n, float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1.0f, y[i] = 2.0f;
}

bool check(const float *y, int n) {
    for (int i = 0; i < n; i++)
        if (y[i] != 5.0f) return false; //~ A005
    return true;
}

int main() {
    const int n = 1 << 12;
    float *x, *y;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMalloc(&y, n * sizeof(float)) != cudaSuccess) return 1;
    fill<<<n / 256, 256>>>(n, x, y);
    saxpy<<<n / 256, 256>>>(n, 3.0f, x, y);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::cout << "checking " << n << " elements" << std::endl;
    std::cout << (check(y, n) ? "PASSED" : "FAILED") << std::endl;
    if (cudaFree(x) != cudaSuccess || cudaFree(y) != cudaSuccess) return 1;
    return 0;
}
