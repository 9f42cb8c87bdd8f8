// exit: undefined _Z6renderPi
// A kernel is launched that is only declared.
// modelled: there is no kernel that a GPU could load
#include <cstdio>

__global__ void render(int *out);

int main() {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    render<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(out);
}
