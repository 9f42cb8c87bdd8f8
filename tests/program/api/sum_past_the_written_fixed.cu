// One block of 1000 threads for as many elements.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void squares(float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = float(i) * i;
}

int main() {
    const int n = 1000;
    std::vector<float> out(n);
    float *d_out;
    cudaMalloc(&d_out, n * sizeof(float));
    squares<<<1, n>>>(d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float value : out) sum += value;
    std::cout << sum << "\n";
    cudaFree(d_out);
}
