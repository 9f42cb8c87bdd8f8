// out[i] = in[0] + … + in[i], by one thread.
extern "C" __global__ void clear(unsigned long long *notes, int *ticket, int tiles) {
}

extern "C" __global__ void scan(const int *in, int *out, unsigned long long *notes, int *ticket,
                                int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        long long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += in[i];
            out[i] = (int)sum;
        }
    }
}
