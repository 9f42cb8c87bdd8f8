#define CHECK(call)                                                                   \
    do {                                                                              \
        if ((call) != cudaSuccess) return 1;                                          \
    } while (0)

__global__ void f(int *p) {}

int main() {
    int *d;
    CHECK(cudaMalloc(&d, 4));
    CHECK(f<<<1, 32>>>(d));
}
