// Up and down a tree in shared memory, as in an exclusive scan.
#define THREADS 256 // a power of two

struct Part { int sum; bool begins; };
__device__ Part join(Part l, Part r) { return r.begins ? Part{r.sum, true} : Part{l.sum + r.sum, l.begins}; }
extern "C" __global__ void scan_blocks(const int *values, const int *goes_on, int *sums,
                                       int *sums_go_on, int *block_sums, int *block_goes_on,
                                       int n) {
    __shared__ Part s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    Part own = {0, false};
    if (i < n) own = Part{values[i], goes_on[i] == 0};
    s[t] = own;
    for (int d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        int at = (t + 1) * 2 * d - 1;
        if (at < THREADS) s[at] = join(s[at - d], s[at]);
    }
    __syncthreads();
    if (t == THREADS - 1) {
        block_sums[blockIdx.x] = s[t].sum; block_goes_on[blockIdx.x] = s[t].begins ? 0 : 1;
        s[t] = Part{0, false};
    }
    for (int d = THREADS / 2; d > 0; d /= 2) {
        __syncthreads();
        int at = (t + 1) * 2 * d - 1;
        if (at < THREADS) {
            Part left = s[at - d];
            s[at - d] = s[at];
            s[at] = join(s[at], left);
        }
    }
    __syncthreads();
    own = join(s[t], own);
    if (i < n) { sums[i] = own.sum; sums_go_on[i] = own.begins ? 0 : 1; }
}
extern "C" __global__ void join_before(const int *before, const int *before_goes_on,
                                       const int *out_goes_on, int *out, int n) {
    int b = blockIdx.x, i = b * THREADS + threadIdx.x;
    if (b > 0 && i < n) out[i] = join(Part{before[b - 1], before_goes_on[b - 1] == 0}, Part{out[i], out_goes_on[i] == 0}).sum;
}
