// Right, but each thread goes back to where its segment begins.
#define THREADS 256 // a power of two

// What is known of a run of elements.
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
                                       int n) { //~ too-much-work: global_reads_per_thread
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        int sum = values[i];
        for (int k = i; k > 0 && goes_on[k] != 0; k--) {
            sum += values[k - 1];
        }
        sums[i] = sum;
    }
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = 0;
        block_goes_on[blockIdx.x] = 0;
    }
}

extern "C" __global__ void join_before(const int *before, const int *before_goes_on,
                                       const int *out_goes_on, int *out, int n) {}
