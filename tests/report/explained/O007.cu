#include <cstdio>
__global__ void hello() { printf("hello\n"); }
int main() {
    hello<<<1, 4>>>();
#ifdef FIXED
    cudaDeviceSynchronize();
#endif
    return 0;
}
