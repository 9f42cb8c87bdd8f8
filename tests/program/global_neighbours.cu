// The compiler loads neighbours in global memory at once, with what lies between them: a program reads only what it asks
// for, and another thread may write the rest.
#include <cstdio>

struct alignas(16) Body {
    float x, y, z;
    int hits;
};

__global__ void step(Body *body, float *far, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Body *b = body + (i + 1) % n;
        far[i] = b->x * b->x + b->y * b->y + b->z * b->z;
    } else {
        body[i - n].hits = i;
    }
}

__global__ void between(float4 *p, float *out) {
    if (threadIdx.x < 32) out[threadIdx.x] = p->x + p->z;
    else p->y = 4;
}

int main() {
    const int n = 64;
    Body *body;
    float *far;
    cudaMallocManaged(&body, n * sizeof(Body));
    cudaMallocManaged(&far, n * sizeof(float));
    for (int i = 0; i < n; i++) body[i] = {float(i), 1, 2, -1};
    step<<<4, 32>>>(body, far, n);
    between<<<1, 64>>>((float4 *)body, far + 2);
    cudaDeviceSynchronize();
    printf("%g %g %d %g\n", far[0], far[40], body[9].hits, body[0].y);
    cudaFree(body);
    cudaFree(far);
}
