#define T 16

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float x[T][T], y[T][T];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k += T) {
        x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x]; y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column]; __syncthreads(); for (int j = 0; j < T; j++) s += x[threadIdx.y][j] * y[j][threadIdx.x];
    }
    c[row * n + column] = s;
}

int main() {
    const int n = 64, bytes = n * n * sizeof(float);
    float *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    product<<<dim3(4, 4), dim3(T, T)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
