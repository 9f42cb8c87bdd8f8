// merge: merges two sorted arrays into one.
//
// Launched three times:
//   1. make(…, a, m, …)        a sorted array of m numbers
//   2. make(…, b, n, …)        another of n numbers
//   3. merge(a, m, b, n, out, from)
//                              out: all m + n of them, sorted
//                              from: where each comes from: i for a[i],
//                              m + j for b[j]
//
// In launch 3 a thread produces PER elements of out that are side by side. There are
// blocks of 64 threads, enough for all.

#define PER 8

// Makes integers that never decrease, with runs of equal ones among them.
extern "C" __global__ void make(const int *noise, int *sorted, int count, int run, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sorted[i] = base + 8 * (i / run) + noise[i / run];
    }
}

// Returns how many of the first k elements of the result come from a. Of equal ones,
// those of a come first.
__device__ int split(const int *a, int m, const int *b, int n, int k) {
    // At most k from a, and no more than it has; the rest must be there in b.
    int low = max(0, k - n), high = min(k, m);
    while (low < high) {
        int middle = (low + high) / 2;
        // With i = middle, a[middle] would be the first of a that is left, and
        // b[k - 1 - middle] the last of b that is taken. If they are in this
        // order, middle is too small, and so is everything below it.
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
