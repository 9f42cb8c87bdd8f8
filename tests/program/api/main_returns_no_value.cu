// What main returns is the quotient of a division by a variable that is zero, which the compiler leaves out.
// modelled: what main returns is undefined.
// exit: 251
//~ I002 at 0
#include <cstdio>

__global__ void nothing() {}

int main() {
    int failures = 0, runs = 0;
    nothing<<<1, 1>>>();
    failures += cudaDeviceSynchronize() != cudaSuccess;
    printf("%d\n", failures);
    return 100 / runs;
}
