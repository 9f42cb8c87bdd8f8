// One thread, one element after the other.

extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            counts[in[i]]++;
        }
    }
}
