// arithmetic-intensity: answer before anything runs.
//
// axpy and polynomial: m = 16384 elements, a thread for each, 256 per block.
// plain and tiled: matrices of n × n, n = 128, blocks of 16 × 16 threads.
// Two questions are about smaller ones.
//
// Write your answers in place of the question marks. The code is only
// for reading: the tool runs its own copy, whatever you change here.

// How many bytes does one thread of `axpy` move from and to global memory?
// answer axpy_bytes = ?

// How many bytes does the whole of `axpy` move where it has 1000 elements,
// with 4 blocks of 256 threads?
// answer axpy_all = ?

// How many operations does `axpy` do for each byte it moves?
// (A multiply-add is two.)
// answer axpy_intensity = ?

// How many operations does `polynomial` do for each byte it moves?
// answer polynomial_intensity = ?

// How many times as high is the intensity of `tiled` as that of `plain`,
// counted by the bytes that threads load and store? Within a tenth is close
// enough.
// answer tiled_gain = ?

// The same for matrices of 16 × 16, which are a single tile. Within a twentieth.
// answer one_tile_gain = ?

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
