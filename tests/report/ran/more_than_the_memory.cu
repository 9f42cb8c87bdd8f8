#include <cstdlib>

#define CHECK(call) if (cudaError_t e = (call); e != cudaSuccess) exit(1)

int main() {
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, 40ull << 30));
    CHECK(cudaMalloc(&b, 30ull << 30));
    CHECK(cudaMalloc(&c, 20ull << 30));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
