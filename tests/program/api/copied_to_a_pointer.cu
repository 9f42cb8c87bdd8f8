// The address of the pointer is given for what it points to.
#include <cstdio>

void get(float *out, const float *d_x) {
    cudaError_t error = cudaMemcpy(&out, d_x, 8 * sizeof(float), cudaMemcpyDeviceToHost); //~ A001
    printf("%d\n", error == cudaSuccess);
}

int main() {
    float x[8] = {0};
    float *d_x;
    cudaMalloc(&d_x, sizeof(x));
    cudaMemset(d_x, 0, sizeof(x));
    get(x, d_x);
    cudaFree(d_x);
}
