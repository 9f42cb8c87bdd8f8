__global__ void add(const int *in, int *out, int n) {
#ifdef FIXED
    int sum = 0;
#else
    int sum;
#endif
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[threadIdx.x] = sum;
}
__global__ void add_floats(const float *in, float *out, int n) {
#ifdef FIXED
    float sum = 0;
#else
    float sum;
#endif
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[threadIdx.x] = sum;
}
__global__ void find(const int *in, int *out) {
    int t = threadIdx.x;
#ifdef FIXED
    int best = -1;
#else
    int best;
#endif
    if (in[t] > 0) best = t;
    out[t] = best;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(in, 0, 32 * sizeof(int));
    add<<<1, 32>>>(in, out, 8);
#ifdef FIXED
    add_floats<<<1, 32>>>((float *)in, (float *)out, 8);
    find<<<1, 32>>>(in, out);
#endif
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
