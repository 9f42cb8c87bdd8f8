// A width keeps the second word of a line within the array that it is read into.
#include <cstdio>

__global__ void nothing() {}

int main() {
    char first[8], second[4];
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d\n", sscanf("one two", "%s %s", first, second));
    sscanf("three four", "%7s %3s", first, second);
    printf("%s %s\n", first, second);
}
