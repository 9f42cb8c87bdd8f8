// One block of 512 threads for 1000 elements: the sum is of what was never written.
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
    squares<<<1, 512>>>(d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float value : out) sum += value; //~ I001
    std::cout << sum << "\n";
    cudaFree(d_out);
}
