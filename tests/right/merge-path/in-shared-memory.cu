// A block finds its part of both arrays, and threads search and merge in shared memory.
#define PER 8

// Makes integers that never decrease, with runs of equal ones among them.
extern "C" __global__ void make(const int *noise, int *sorted, int count, int run, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sorted[i] = base + 8 * (i / run) + noise[i / run];
    }
}

__device__ int split(const int *a, int m, const int *b, int n, int k) {
    int low = max(0, k - n), high = min(k, m);
    while (low < high) { int mid = low + (high - low) / 2; if (a[mid] <= b[k - 1 - mid]) low = mid + 1; else high = mid; }
    return low;
}
extern "C" __global__ void merge(const int *a, int m, const int *b, int n, int *out, int *from) {
    __shared__ int s[64 * PER], ends[2];
    int t = threadIdx.x, first = blockIdx.x * 64 * PER, count = min(64 * PER, m + n - first);
    if (t < 2) ends[t] = split(a, m, b, n, t ? first + count : first);
    __syncthreads();
    int ia = ends[0], ma = ends[1] - ia, ib = first - ia, nb = count - ma;
    for (int e = t; e < count; e += 64) s[e] = e < ma ? a[ia + e] : b[ib + e - ma];
    __syncthreads();
    int k = t * PER;
    if (k >= count) return;
    int i = split(s, ma, s + ma, nb, k), j = k - i;
    for (int end = min(k + PER, count); k < end; k++) {
        bool of_a = j >= nb || (i < ma && s[i] <= s[ma + j]);
        out[first + k] = of_a ? s[i] : s[ma + j];
        from[first + k] = of_a ? ia + i++ : m + ib + j++;
    }
}
