// `__CUDA_ARCH__` is a GPU's: the host takes the other branch, of functions for both, of variables and of classes.
#include <cstdio>
#include <cstring>

struct Base {
    __host__ __device__ virtual int side() const { return 0; }
};
struct Side : Base {
    __host__ __device__ int side() const override {
#ifdef __CUDA_ARCH__
        return 1;
#else
        return 2;
#endif
    }
};

__host__ __device__ __noinline__ int table(int i) {
    const int values[4] = {10, 20,
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
                           30,
#else
                           31,
#endif
                           40};
    static int calls;
    calls++;
    return values[i % 4] + calls;
}

__host__ __device__ const char *where() {
#ifndef __CUDA_ARCH__
    return "the host (no __CUDA_ARCH__)";
#else
    return "a GPU";
#endif
}

static __device__ int count;
namespace {
__constant__ int step = 3;
__global__ void add(int *out) { out[4] += step; }
} // namespace

typedef int (*Function)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ Function chosen = twice;

template <class T>
static __global__ void look(T *out) {
    Side side;
    const Base *base = &side;
    out[0] = base->side();
    out[1] = table(2);
    out[2] = chosen(21);
    out[3] = atomicAdd(&count, 5);
    printf("in %s\n", where());
}

int main() {
    int *out;
    cudaMallocManaged(&out, 5 * sizeof(int));
    memset(out, 0, 5 * sizeof(int));
    int five = 5, six = 6;
    cudaMemcpyToSymbol(count, &five, sizeof(int));
    cudaMemcpyToSymbol(step, &six, sizeof(int));
    look<<<1, 1>>>(out);
    add<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
    Side side;
    const Base *base = &side;
    cudaMemcpyFromSymbol(&five, count, sizeof(int));
    printf("%d %d %d\n", base->side(), table(2), five);
    printf("in %s\n", where());
    cudaFree(out);
    return 0;
}
