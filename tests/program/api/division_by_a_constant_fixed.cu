// A constant that is zero divides once, which is a floating-point division.
#include <cstdio>

const int groups = 0;

__global__ void nothing() {}

int main(int argc, char **argv) {
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (argc > 5) printf("%d\n", argc % groups);
    printf("%f\n", 1.0 / groups);
    printf("%d\n", groups ? 1 / groups : 0);
}
