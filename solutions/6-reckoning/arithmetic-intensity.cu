// arithmetic-intensity: answer before anything runs.
//
// axpy and polynomial: m = 16384 elements, a thread for each, 256 per block.
// plain and tiled: matrices of n × n, n = 128, blocks of 16 × 16 threads.
// Two questions are about smaller ones.
//
// The answers, and how to find them.

// How many bytes does one thread of `axpy` move from and to global memory?
// It reads x[i] and y[i] and writes y[i]: three floats.
// answer axpy_bytes = 12

// How many bytes does the whole of `axpy` move where it has 1000 elements,
// with 4 blocks of 256 threads?
// 1000 threads move 12 bytes each; the last 24 move none.
// answer axpy_all = 12000

// How many operations does `axpy` do for each byte it moves?
// (A multiply-add is two.)
// Two operations over 12 bytes. The number of elements cancels.
// answer axpy_intensity = 1/6

// How many operations does `polynomial` do for each byte it moves?
// 15 multiply-adds are 30 operations, over the 8 bytes of one float read and
// one written.
// answer polynomial_intensity = 3.75

// How many times as high is the intensity of `tiled` as that of `plain`,
// counted by the bytes that threads load and store? Within a tenth is close
// enough.
// Both do 2 * n operations per thread. plain reads 2 * n floats for them, tiled
// 2 * n / 16. (What each writes makes it a little less than 16.)
// answer tiled_gain = 16

// The same for matrices of 16 × 16, which are a single tile. Within a twentieth.
// plain loads 32 floats per thread and writes one, tiled loads 2 and writes one.
// answer one_tile_gain = 11

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
