// strided-sum: answer before anything runs.
//
// x is a matrix of n × n floats, row-major, n = 1024. Two ways to compute
// the sum of each of its rows:
//   direct           256 threads per block, a warp for each row
//   copy, columns    256 threads per block, a thread for each element;
//                    then blocks of 32 × 32 threads, a block for 32 columns
//
// The answers, and how to find them.

// How many 32-byte sectors does one load of a warp touch in `direct`?
// Lane l reads x[row * n + l]: 32 floats side by side, 128 bytes, and rows of
// 1024 floats begin where a sector begins.
// answer direct_loads = 4

// How many sectors does one store of a warp touch in `copy`?
// From lane to lane col grows by one, and turned[col * n + row] lies n floats
// further on: no two lanes share a sector.
// answer copy_stores = 32

// How many times as many sectors do `copy` and `columns` touch together,
// loads and stores, as `direct` alone? Within a twentieth is close enough.
// Counted in sectors of eight floats, direct touches n * n / 8. copy reads the
// same and writes 8 times as many, columns reads n * n / 8 again: 1 + 8 + 1.
// answer traffic = 10

// Modelled on a T4: which has the sums sooner?
//   a   direct
//   b   copy and columns
//   c   neither: within a tenth they take the same time
// There was nothing to improve in direct: it reads neighbours already.
// answer sooner = a

// With n = 1021: how many sectors does one load of a warp touch in `columns`,
// on average? Within a hundredth is close enough.
// A row can begin at any of the eight places in a sector. At one of them the 32
// floats touch four sectors, at the other seven places five.
// answer odd_loads = 4.875

// The sum of each row, straight from x: a warp for each row.
extern "C" __global__ void direct(const float *x, float *sums, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n) return;

    float sum = 0;
    for (int i = lane; i < n; i += 32) {
        sum += x[row * n + i];
    }
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);
    }
    if (lane == 0) {
        sums[row] = sum;
    }
}

// A copy of x, its rows turned into columns: a thread for each element.
extern "C" __global__ void copy(const float *x, float *turned, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / n, col = i % n;
    if (row < n) {
        turned[col * n + row] = x[row * n + col];
    }
}

// The sum of each column of the copy: a block for 32 columns, whose warps
// share out the rows.
extern "C" __global__ void columns(const float *turned, float *sums, int n) {
    __shared__ float s[32][32];
    int col = blockIdx.x * 32 + threadIdx.x;

    float sum = 0;
    if (col < n) {
        for (int i = threadIdx.y; i < n; i += 32) {
            sum += turned[i * n + col];
        }
    }
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();

    if (threadIdx.y == 0 && col < n) {
        for (int k = 1; k < 32; k++) {
            sum += s[k][threadIdx.x];
        }
        sums[col] = sum;
    }
}
