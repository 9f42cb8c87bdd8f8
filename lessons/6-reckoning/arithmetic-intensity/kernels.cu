// What arithmetic-intensity asks about.

// y = a * x + y: a multiply-add for each element.
extern "C" __global__ void axpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

// A polynomial of degree 16, by Horner's rule: each step is a multiply-add.
extern "C" __global__ void polynomial(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = x[i];
        float sum = t;
        for (int k = 0; k < 15; k++) {
            sum = sum * t + 1;
        }
        out[i] = sum;
    }
}

// C = A * B, n × n: every thread reads a row of A and a column of B.
extern "C" __global__ void plain(const float *A, const float *B, float *C, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += A[row * n + k] * B[k * n + col];
    }
    C[row * n + col] = sum;
}

// C = A * B with tiles of 16 × 16: what one thread fetches, 16 use.
extern "C" __global__ void tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[16][16], b[16][16];
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        a[threadIdx.y][threadIdx.x] = A[row * n + tile + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(tile + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        }
        __syncthreads();
    }
    C[row * n + col] = sum;
}
