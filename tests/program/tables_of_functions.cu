// Variables that lead to functions: a GPU's lead to a GPU's, the host's to the host's, whoever reads them.
#include <cmath>
#include <cstdio>

typedef int (*Function)(int);

__host__ __device__ __noinline__ int side(int x) {
#ifdef __CUDA_ARCH__
    return x + 1;
#else
    return x + 100;
#endif
}
__device__ Function on_device = side;
Function on_host = side;

struct Method {
    const char *name;
    double (*function)(double);
};
double levels(double x) { return log2(x); }
Method methods[] = {{"levels", levels}, {"sin", sin}};
Method *best = methods;

struct Shape {
    virtual int kind(int x) const { return side(x); }
};
Shape shape;

void clear() {
    int *d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaFree(d);
    puts("cleared");
}
void (*tasks[])() = {clear};
void (**current)() = tasks;

#ifdef __CUDA_ARCH__
const int sizes[3] = {10, 20, 30};
#else
const int sizes[3] = {1, 2, 3};
#endif

extern "C" __host__ __device__ __noinline__ int param(int x) {
    for (int i = 0; i < x; i++) x -= i;
    return x;
}

__global__ void apply(Function f, int *out, int i) {
    out[0] = f(1);
    out[1] = on_device(2);
    out[2] = sizes[i];
    out[3] = param(i);
}

int main(int n, char **) {
    Function f;
    cudaMemcpyFromSymbol(&f, on_device, sizeof(f));
    int *out;
    cudaMallocManaged(&out, 4 * sizeof(int));
    apply<<<1, 1>>>(f, out, n);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    printf("%d %d %d\n", on_host(1), sizes[n], param(5));
    printf("%d %d %.4f\n", (int)best->function(8), (int)methods[0].function(64), methods[1].function(1));
    const Shape *of = &shape;
    printf("%d\n", of->kind(3));
    (*current)();
    cudaFree(out);
    return 0;
}
