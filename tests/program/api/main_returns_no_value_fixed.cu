// What main returns is a quotient only where something was run.
#include <cstdio>

__global__ void nothing() {}

int main() {
    int failures = 0, runs = 0;
    nothing<<<1, 1>>>();
    failures += cudaDeviceSynchronize() != cudaSuccess;
    printf("%d\n", failures);
    return runs ? 100 / runs : failures;
}
