#include <cub/cub.cuh>

int main() {
    const int n = 64;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_in, 0, n * sizeof(int));
    void *d_temp_storage = nullptr;
    size_t temp_storage_bytes = 0;
    cub::DeviceReduce::Sum(d_temp_storage, temp_storage_bytes, d_in, d_out, n);
#ifdef FIXED
    cudaMalloc(&d_temp_storage, temp_storage_bytes);
#endif
    cub::DeviceReduce::Sum(d_temp_storage, temp_storage_bytes, d_in, d_out, n);
    cudaDeviceSynchronize();
    cudaFree(d_temp_storage);
    cudaFree(d_in);
    cudaFree(d_out);
}
