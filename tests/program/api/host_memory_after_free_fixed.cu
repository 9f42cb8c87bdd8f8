// The host's copy is freed after the comparison.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void scale(float *x, float k) { x[threadIdx.x] *= k; }

int main() {
    const int n = 128;
    float *before = new float[n], after[n];
    for (int i = 0; i < n; i++) before[i] = i;
    float *d;
    CHECK(cudaMalloc(&d, sizeof after));
    CHECK(cudaMemcpy(d, before, sizeof after, cudaMemcpyHostToDevice));
    scale<<<1, n>>>(d, 3.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(after, d, sizeof after, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (after[i] != 3.0f * before[i]) wrong++;
    printf("%d wrong\n", wrong);
    delete[] before;
    CHECK(cudaFree(d));
    return 0;
}
