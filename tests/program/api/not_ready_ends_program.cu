// The time between two events is asked for before the second has come.
// exit: 1
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                   \
    do {                                              \
        if ((call) != cudaSuccess) exit(1);           \
    } while (0)

__global__ void work(int *x, int n) {
    for (int k = 0; k < n; k++) x[0] = x[0] + k;
}

int main() {
    int *d_x;
    cudaEvent_t start, stop;
    CHECK(cudaMalloc(&d_x, sizeof(int)));
    CHECK(cudaMemset(d_x, 0, sizeof(int)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    work<<<1, 1>>>(d_x, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop)); //~ A013
    printf("%d\n", ms > 0);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_x));
}
