// What is taken is selected, without a branch.
#define PER 8

extern "C" __global__ void make(const int *noise, int *sorted, int count, int run, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sorted[i] = base + 8 * (i / run) + noise[i / run];
    }
}

__device__ int split(const int *a, int m, const int *b, int n, int k) {
    int low = max(0, k - n), high = min(k, m);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[k - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void merge(const int *a, int m, const int *b, int n, int *out, int *from) {
    int k = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
    if (k < m + n) {
        int i = split(a, m, b, n, k); // the next of a
        int j = k - i;                // the next of b
        for (int left = min(PER, m + n - k); left > 0; left--, k++) {
            bool take_b = i >= m || (j < n && b[j] < a[i]);
            int at = take_b ? j : i;
            out[k] = take_b ? b[at] : a[at];
            from[k] = take_b ? m + at : at;
            i += !take_b;
            j += take_b;
        }
    }
}
