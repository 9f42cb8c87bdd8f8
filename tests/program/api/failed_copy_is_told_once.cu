// What a wrong copy does not bring is not found again where it is read.
#include <cstdio>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

int main() {
    float x[8] = {1, 2, 3, 4}, *d_x, *d_y;
    cudaMalloc(&d_x, 16);
    cudaMalloc(&d_y, 16);
    cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice); //~ A001
    cudaMemcpy(d_y, x, 16, cudaMemcpyDeviceToHost); //~ A002
    twice<<<1, 4>>>(d_x);
    twice<<<1, 4>>>(d_y);
    cudaMemcpy(x, d_x, 16, cudaMemcpyDeviceToHost);
    cudaMemcpy(x, d_y, 16, cudaMemcpyDeviceToHost);
    puts("done");
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
