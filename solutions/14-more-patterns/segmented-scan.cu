// segmented-scan: running sums that start again with each segment.
//
// Launched three times, with THREADS threads a block, as in prefix-sum:
//   1. scan_blocks(values, goes_on, out, out_goes_on, block_sums, …, n)
//                                each block for itself, and one part for each
//   2. scan_blocks(block_sums, block_goes_on, before, before_goes_on, …)
//                                the parts of the blocks, by one block
//   3. join_before(before, before_goes_on, out_goes_on, out, n)
//                                adds to each block what comes before it
//
// goes_on: 0 where a segment begins; any other number where the segment of the
//          element before continues.

#define THREADS 256 // a power of two

// What is known about a run of elements.
struct Part {
    int sum;     // of its last segment, as far as that is in the run
    bool begins; // whether a segment begins anywhere in it
};

// Returns the part of two runs, one right after the other.
__device__ Part join(Part left, Part right) {
    Part joined;
    // If a segment begins on the right, nothing on the left belongs to it.
    joined.sum = right.begins ? right.sum : left.sum + right.sum;
    joined.begins = left.begins || right.begins;
    return joined;
}

extern "C" __global__ void scan_blocks(const int *values, const int *goes_on, int *sums,
                                       int *sums_go_on, int *block_sums, int *block_goes_on,
                                       int n) {
    __shared__ int sum_of[THREADS];
    __shared__ bool begins_in[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    Part own = {i < n ? values[i] : 0, i < n && goes_on[i] == 0};
    for (int back = 1; back < THREADS; back *= 2) {
        sum_of[t] = own.sum;
        begins_in[t] = own.begins;
        __syncthreads();
        if (t >= back) {
            Part left = {sum_of[t - back], begins_in[t - back]};
            own = join(left, own);
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
