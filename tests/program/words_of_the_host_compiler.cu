// Words of the host compiler's dialect, in kernels and in host code.
#include <cstdio>
#define MAX_OF(a, b)             \
    ({                           \
        __typeof__(a) left = (a);  \
        __typeof__(b) right = (b); \
        left > right ? left : right; \
    })

struct Pair {
    int first;
    float second[3];
};

static __device__ __const__ int offset = 3;

template <class T>
__device__ T twice(T x) {
    __typeof__(x) y = x;
    return y + x;
}

__global__ void k(__const float *in, float *out, __signed__ int n) {
    typeof(n) i = threadIdx.x;
    __asm__ __volatile__("" ::: "memory");
    if (i < n) out[i] = twice(in[i]) + offset;
}

__extension__ typedef long long wide;

int main() {
    __const__ int n = 4;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (__typeof__(n + 0) i = 0; i < n; ++i) in[i] = i / 2.0f;
    k<<<1, n>>>(in, out, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) printf("%g ", out[i]);

    Pair pair = {1, {2, 3, 4}};
    __typeof__(pair.second) copy = {5, 6, 7};
    typeof(&pair) at = &pair;
    typeof(at->first) number = 9;
    int &same = number;
    __typeof(same) other = same;
    other++;
    wide sum = at->first + other + number;
    printf("%g %d %lld %d %d\n", copy[2], int(sizeof copy), sum, MAX_OF(3, 4), MAX_OF(number, 4));
    cudaFree(in);
    cudaFree(out);
}
