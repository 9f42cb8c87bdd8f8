// One thread, one element after the other.

extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
    if (threadIdx.x > 0) {
        return;
    }
    int kept = 0, end = min((blockIdx.x + 1) * blockDim.x, n);
    for (int i = blockIdx.x * blockDim.x; i < end; i++) {
        kept += in[i] > 0;
    }
    counts[blockIdx.x] = kept;
}

extern "C" __global__ void find_starts(const int *counts, int *starts, int *total, int blocks) {
    if (threadIdx.x > 0) {
        return;
    }
    int sum = 0;
    for (int b = 0; b < blocks; b++) {
        sum += counts[b];
    }
    *total = sum;
}

extern "C" __global__ void compact(const int *in, const int *starts, int *out, int n) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] > 0) {
            out[kept++] = in[i];
        }
    }
}
