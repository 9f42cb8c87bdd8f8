// One thread, one element after the other.

extern "C" __global__ void begin(int *best, int *where, int *lock) {
    *where = -1;
    *lock = 0;
}

extern "C" __global__ void largest(const int *in, int *best, int *where, int *lock, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            if (*where < 0 || in[i] > *best) {
                *best = in[i];
                *where = i;
            }
        }
    }
}
