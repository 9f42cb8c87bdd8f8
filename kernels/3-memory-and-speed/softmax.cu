// softmax: out[row][c] = exp(in[row][c]) / the sum of exp(in[row][…]).
//
// in, out: (rows, cols), row-major. One block for each row; it has a warp for
// each 256 columns, but at most 32 warps.
//
// This kernel is right, but reads each element three times, and waits a lot.

#define MOST 1024 // threads a block

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float s[MOST];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols; // from here on, in[c] is in this row
    out += (long long)blockIdx.x * cols;

    // The largest of the row. (Threads without an element begin with any.)
    float top = in[0];
    for (int c = t; c < cols; c += threads) {
        top = fmaxf(top, in[c]);
    }
    s[t] = top;
    __syncthreads();
    // The number of threads need not be a power of two: half of it, rounded up.
    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] = fmaxf(s[t], s[t + half]);
        }
        __syncthreads();
    }
    top = s[0];
    __syncthreads(); // before s is used again

    // The sum.
    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += expf(in[c] - top);
    }
    s[t] = sum;
    __syncthreads();
    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    sum = s[0];

    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - top) / sum;
    }
}
