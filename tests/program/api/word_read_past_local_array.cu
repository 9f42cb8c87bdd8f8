// The second word of a line is longer than the array that it is read into.
// exit: stopped
#include <cstdio>

__global__ void nothing() {}

int main() {
    char first[8], second[4];
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d\n", sscanf("one two", "%s %s", first, second));
    sscanf("three four", "%s %s", first, second); //~ H001
    printf("%s %s\n", first, second);
}
