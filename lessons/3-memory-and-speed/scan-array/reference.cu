// out[i] = in[0] + … + in[i], by one block, each thread of which has neighbours.
extern "C" __global__ void clear(unsigned long long *notes, int *ticket, int tiles) {
}

extern "C" __global__ void scan(const int *in, int *out, unsigned long long *notes, int *ticket,
                                int n) {
    if (blockIdx.x > 0) {
        return;
    }
    __shared__ long long sums[256];
    int each = (n + 255) / 256, t = threadIdx.x;
    int first = min(t * each, n), end = min(first + each, n);
    long long sum = 0;
    for (int i = first; i < end; i++) {
        sum += in[i];
    }
    sums[t] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < t; i++) {
        sum += sums[i];
    }
    for (int i = first; i < end; i++) {
        sum += in[i];
        out[i] = (int)sum;
    }
}
