__global__ void k(int *x) { x[threadIdx.x] = 1; }
int main() {
    int *x; cudaMalloc(&x, 128);
    k<<<1, NT>>>(x);
    cudaFree(x);
}
