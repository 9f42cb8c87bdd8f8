// Compound literals of C, as nvcc's host compiler accepts them in C++.
#include <stdio.h>

#define Point float2
#define DIAGONAL (Point){1, -1}
#define RANGE(a, b) \
    (struct Range){a, b}

struct Range {
    int from, to;
};

__global__ void fill(struct Range its, float4 *out) {
    int i = its.from + threadIdx.x;
    if (i < its.to) out[i] = (float4){float(i), 0, 0, float(its.to)};
    if (i == its.from) out[0] = (float4){DIAGONAL.x, DIAGONAL.y, 0, 0};
}

int length(struct Range its) { return its.to - its.from; }

int main() {
    struct Range its = (struct Range){2, 9};
    float4 *out;
    cudaMallocManaged(&out, 10 * sizeof(float4));
    fill<<<(dim3){1, 1, 1}, (dim3){32, 1, 1}>>>((struct Range){.from = 1, .to = 4}, out);
    cudaDeviceSynchronize();
    printf("%d %d %g %g\n", length(its), length((Range){3, 5}), out[3].x, out[1].w);
    its = (struct Range){.to = 1};
    printf("%d %d\n", its.from, its.to);
    printf("%d %g %g\n", length(RANGE(4, 9)), out[0].x, out[0].y);
    cudaFree(out);
}
