// caches: answer before anything runs.
//
// n = 262144 floats in x, a y of 1 MiB or 8 MiB, matrices of 128 × 128. Blocks
// have 256 threads; `twice` is one block of 1024. The GPU is a T4 unless a question
// says otherwise: 4 MiB of L2, and its caches are empty when a kernel starts.
//
// The answers, and how to find them.

// In `neighbours`, how many bytes for each element do the loads fetch from L2?
// Within a tenth.
// Each sector is fetched once, for all three loads. (Each block also touches
// one sector on either side of its own 1024 bytes, so it is a little more.)
// answer neighbours_l2 = 4

// In `eighth`, how many bytes come from device memory for each byte that
// threads load? Within a tenth.
// A sector of 32 bytes for a float of 4.
// answer eighth_dram = 8

// `twice`, with a y of 1 MiB: how many times is y fetched from device memory?
// It fits in L2, so the second pass finds it there.
// answer twice_small = 1

// And with a y of 8 MiB?
// When the second pass begins, L2 holds the last half, and that is displaced
// before it is needed.
// answer twice_large = 2

// The same 8 MiB on an H100, whose L2 has 50 MiB?
// It fits in 50 MiB.
// answer twice_h100 = 1

// How many bytes come from device memory in `plain`? (C stays in L2.)
// A and B, once each: 2 * 128 * 128 * 4.
// answer plain_dram = 131072

// Each thread loads its own element and both neighbours.
extern "C" __global__ void neighbours(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        out[i] = x[i - 1] + x[i] + x[i + 1];
    }
}

// Each thread loads one element of eight.
extern "C" __global__ void eighth(const float *x, float *some, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i < n) {
        some[i] = x[8 * i];
    }
}

// One block reads all of y twice: for the mean, and for the squared distance
// of each element from it.
extern "C" __global__ void twice(const float *y, float *spread, int m) {
    __shared__ float total;
    int t = threadIdx.x;
    if (t == 0) {
        total = 0;
    }
    __syncthreads();
    float sum = 0;
    for (int i = t; i < m; i += blockDim.x) {
        sum += y[i];
    }
    atomicAdd(&total, sum);
    __syncthreads();
    float mean = total / m;
    float squares = 0;
    for (int i = t; i < m; i += blockDim.x) {
        squares += (y[i] - mean) * (y[i] - mean);
    }
    spread[t] = squares;
}

// C = A * B, k × k: every thread reads a row of A and a column of B.
extern "C" __global__ void plain(const float *A, const float *B, float *C, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < k; j++) {
        sum += A[row * k + j] * B[j * k + col];
    }
    C[row * k + col] = sum;
}
