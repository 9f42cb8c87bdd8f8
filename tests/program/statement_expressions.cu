// Statement expressions of GNU C, in macros and outside, which gcc has in C++ too.
#include <cstdio>

#define MAX(a, b)         \
    ({                    \
        auto a_ = (a);    \
        auto b_ = (b);    \
        a_ > b_ ? a_ : b_; \
    })
#define CHECK(call)                                                       \
    ({                                                                    \
        cudaError_t e_ = (call);                                          \
        if (e_ != cudaSuccess) printf("%s\n", cudaGetErrorString(e_));    \
        e_;                                                               \
    })

__global__ void larger(const int *a, const int *b, int *out) {
    int i = threadIdx.x;
    out[i] = MAX(a[i], b[i]);
}

int main() {
    int n = MAX(MAX(4, 8), 6), calls = 0;
    int *x;
    if (CHECK(cudaMallocManaged(&x, 3 * n * sizeof(int))) != cudaSuccess) return 1;
    for (int i = 0; i < n; i++) x[i] = i, x[n + i] = n - i;
    larger<<<1, n>>>(x, x + n, x + 2 * n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int sum = ({
        int all = 0;
        for (int i = 0; i < n; i++, calls++) all += x[2 * n + i];
        all;
    });
    printf("%d %d %d\n", n, sum, calls);
    CHECK(cudaSetDevice(77));
    return CHECK(cudaFree(x));
}
