// The macro allocates memory for pointers that its call does not name.
#define ALLOCATE(n) \
    cudaMalloc((void **)&from, n * sizeof(float)); \
    cudaMalloc((void **)&to, n * sizeof(float));

__global__ void copy(const float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x];
}

int main() {
    float *from, *to;
    ALLOCATE(32);
    copy<<<1, 32>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
