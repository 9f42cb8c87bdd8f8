// The smallest program: host code and a kernel in one file, nothing included.
//~ calls: cudaMalloc cudaMemcpy cudaFree cudaDeviceSynchronize cudaGetLastError cudaGetErrorString
//~ calls: __cudaCDP2GetParameterBufferV2 __cudaCDP2LaunchDeviceV2 vprintf malloc free exit
//~ calls no others
#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error_ = call;                                                        \
        if (error_ != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)

__global__ void scale(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
    if (i == 0) printf("from the kernel: %f\n", x[0]);
}

__host__ void fill(float *x, int n) {
    for (int i = 0; i < n; ++i) x[i] = i;
}

int main() {
    const int n = 1000;
    float *h = (float *)malloc(n * sizeof(float)), *d;
    fill(h, n);
    CHECK(cudaMalloc(&d, n * sizeof(float)));
    CHECK(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<(n + 255) / 256, 256>>>(d, 2.0f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%f\n", h[n - 1]);
    CHECK(cudaFree(d));
    free(h);
    return 0;
}
