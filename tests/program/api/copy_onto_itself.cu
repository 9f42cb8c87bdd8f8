// Elements are moved one place up within their buffer.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            return 1;                                                                  \
        }                                                                             \
    } while (0)

int main() {
    const int n = 256;
    int x[n], *d_x;
    for (int i = 0; i < n; i++) x[i] = i;
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x + 1, d_x, (n - 1) * sizeof(int), cudaMemcpyDeviceToDevice)); //~ A014
    CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
    printf("%d %d\n", x[0], x[1]);
    CHECK(cudaFree(d_x));
}
