// Constants that only code reads may be used by both sides; so may what kernels do not use.
//> 6 5 1
__constant__ float weights[3] = {1, 2, 3};
__device__ int unused_by_kernels = 5;
int host = 1;
__global__ void kernel(float *out) { *out = weights[threadIdx.x]; }
int main() {
    float sum = 0;
    for (float w : weights) sum += w;
    printf("%d %d %d\n", (int)sum, unused_by_kernels, host);
}
