#include <cstdio>
#include <cstdlib>

#define CHECK(call) do { if ((call) != cudaSuccess) { printf("line %d\n", __LINE__); exit(1); } } while (0)

struct Arrays {
    float *x = nullptr;
};

int main() {
    float in[4] = {};
    Arrays arrays;
    CHECK(cudaMemcpy(arrays.x, in, sizeof(in), cudaMemcpyHostToDevice));
}
