// Twice as much is copied as the local array has, whose end is not that of the stack.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                           \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

__global__ void twice(const int *in, int *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
    const int n = 16;
    int in[n], out[n], *d_in, *d_out;
    for (int i = 0; i < n; i++) in[i] = i;
    CHECK(cudaMalloc(&d_in, 2 * n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, 2 * n * sizeof(int), cudaMemcpyHostToDevice)); //~ A001
    twice<<<1, n>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", out[n - 1]);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
}
