__global__ void add(const double *x, const double *y, double *z, int size) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i > size) return;
    if (i % 5 == 0) {
        z[i] = x[i] + y[i];
    } else {
        z[i] = x[i] + y[i] + 1;
    }
}

int main() {
    double *x, *y, *z;
    cudaMalloc(&x, 100 * sizeof(double));
    cudaMalloc(&y, 100 * sizeof(double));
    cudaMalloc(&z, 100 * sizeof(double));
    cudaMemset(x, 0, 100 * sizeof(double));
    cudaMemset(y, 0, 100 * sizeof(double));
    add<<<1, 128>>>(x, y, z, 100);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
}
