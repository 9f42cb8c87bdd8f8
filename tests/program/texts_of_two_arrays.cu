// A comma and a bracket in a format are no part of the arguments: each array is compared with its own text.
#include <cstdio>

__global__ void nothing() {}

int main() {
    char unit[3] = "ms", device[24] = "the first of all GPUs";
    char both[40];
    signed char small = 0;
    int large = 0;
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%s, %s (%s\n", unit, device, unit);
    sprintf(both, "%s,\"%s", unit, device);
    sscanf("7, 70000", "%hhd, %d", &small, &large);
    printf("%s, %d, %d\n", both, small, large);
}
