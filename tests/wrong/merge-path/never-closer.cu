// Keeps the middle in the range: with two left it never ends.
#define PER 8

// Whole numbers that never fall, runs of equal ones among them.
extern "C" __global__ void make(const int *noise, int *sorted, int count, int run, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sorted[i] = base + 8 * (i / run) + noise[i / run];
    }
}

// How many of the first k elements of the result come from a. Of equal ones,
// those of a come first.
__device__ int split(const int *a, int m, const int *b, int n, int k) {
    int low = max(0, k - n), high = min(k, m);
    while (low < high) { //~ endless-loop
        int middle = (low + high) / 2;
        if (a[middle] <= b[k - 1 - middle]) {
            low = middle;
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
        for (int end = min(k + PER, m + n); k < end; k++) {
            if (j >= n || (i < m && a[i] <= b[j])) {
                from[k] = i;
                out[k] = a[i++];
            } else {
                from[k] = m + j;
                out[k] = b[j++];
            }
        }
    }
}
