// What caches asks about.

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
