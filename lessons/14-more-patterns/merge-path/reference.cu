extern "C" __global__ void make(const int *noise, int *sorted, int count, int run, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sorted[i] = base + 8 * (i / run) + noise[i / run];
    }
}

// One thread, from the beginning to the end.
extern "C" __global__ void merge(const int *a, int m, const int *b, int n, int *out, int *from) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    int i = 0, j = 0;
    while (i < m || j < n) {
        bool from_a = j == n || (i < m && a[i] <= b[j]);
        from[i + j] = from_a ? i : m + j;
        out[i + j] = from_a ? a[i] : b[j];
        from_a ? i++ : j++;
    }
}
