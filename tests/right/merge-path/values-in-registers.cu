// The next of each array stays in a register until it is used.
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
        int next_a = i < m ? a[i] : 0, next_b = j < n ? b[j] : 0;
        for (int end = min(k + PER, m + n); k < end; k++) {
            bool take_a = j >= n || (i < m && next_a <= next_b);
            out[k] = take_a ? next_a : next_b;
            from[k] = take_a ? i : m + j;
            if (take_a) {
                i++;
                next_a = i < m ? a[i] : 0;
            } else {
                j++;
                next_b = j < n ? b[j] : 0;
            }
        }
    }
}
