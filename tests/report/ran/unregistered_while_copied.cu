// The memory is unregistered while a copy of it may be under way; an object frees what its copy has freed.
#include <cstdlib>

struct Buffer {
    int *p;
    explicit Buffer(int n) { cudaMalloc(&p, n * sizeof(int)); }
    ~Buffer() { cudaFree(p); }
};

int main() {
    Buffer b(1024), copy = b;
    int *h = (int *)calloc(1024, sizeof(int));
    cudaHostRegister(h, 4096, cudaHostRegisterDefault);
    cudaMemcpyAsync(b.p, h, 4096, cudaMemcpyHostToDevice);
    cudaHostUnregister(h);
    free(h);
}
