// A constant that is zero divides twice: where it is a floating-point division, and where there is no quotient.
// exit: stopped
#include <cstdio>

const int groups = 0;

__global__ void nothing() {}

int main(int argc, char **argv) {
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (argc > 5) printf("%d\n", argc % groups);
    printf("%f\n", 1.0 / groups);
    printf("%d\n", 1 / groups); //~ H012
}
