// Elements are moved one place up by way of another buffer.
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
    int x[n], *d_x, *d_y;
    for (int i = 0; i < n; i++) x[i] = i;
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&d_y, sizeof x));
    CHECK(cudaMemcpy(d_y, d_x, sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(d_y + 1, d_x, (n - 1) * sizeof(int), cudaMemcpyDeviceToDevice));
    // Side by side is not one on the other.
    CHECK(cudaMemcpy(d_x, d_x + n / 2, n / 2 * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(x, d_y, sizeof x, cudaMemcpyDeviceToHost));
    printf("%d %d\n", x[0], x[1]);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
}
