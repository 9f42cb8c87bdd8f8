// The host's names are not the kernels': a helper calls every buffer `d`.
__global__ void add_up(const int *s, int *out) {
    out[0] += s[threadIdx.x];
}

__global__ void shift(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x + 1];
}

int *filled(int n) {
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 0, n * sizeof(int));
    return d;
}

int main() {
    int *in = filled(64), *sums = filled(64);
    add_up<<<1, 32>>>(in, sums + 16);
    shift<<<1, 32>>>(sums, sums);
    shift<<<1, 64>>>(sums, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(sums);
}
