// A part goes through shared memory as an int2.
#define THREADS 256 // a power of two

struct Part {
    int sum;     // of its last segment, as far as that lies in the run
    bool begins; // whether a segment begins anywhere in it
};

__device__ Part join(Part left, Part right) {
    Part joined;
    joined.sum = right.begins ? right.sum : left.sum + right.sum;
    joined.begins = left.begins || right.begins;
    return joined;
}

extern "C" __global__ void scan_blocks(const int *values, const int *goes_on, int *sums,
                                       int *sums_go_on, int *block_sums, int *block_goes_on,
                                       int n) {
    __shared__ int2 parts[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    Part own = {i < n ? values[i] : 0, i < n && goes_on[i] == 0};
    for (int back = 1; back < THREADS; back *= 2) {
        parts[t] = make_int2(own.sum, own.begins);
        __syncthreads();
        if (t >= back) {
            int2 left = parts[t - back];
            own.sum += own.begins ? 0 : left.x;
            own.begins |= left.y != 0;
        }
        __syncthreads();
    }
    if (i < n) {
        sums[i] = own.sum;
        sums_go_on[i] = own.begins ? 0 : 1;
    }
    if (t == THREADS - 1) {
        block_sums[blockIdx.x] = own.sum;
        block_goes_on[blockIdx.x] = own.begins ? 0 : 1;
    }
}

extern "C" __global__ void join_before(const int *before, const int *before_goes_on,
                                       const int *out_goes_on, int *out, int n) {
    int b = blockIdx.x;
    int i = b * THREADS + threadIdx.x;
    if (b > 0 && i < n) {
        Part left = {before[b - 1], before_goes_on[b - 1] == 0};
        Part own = {out[i], out_goes_on[i] == 0};
        out[i] = join(left, own).sum;
    }
}
