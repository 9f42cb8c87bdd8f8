// A text is copied into the middle of a local array, where there is room for it.
#include <cstdio>
#include <cstring>

__global__ void nothing() {}

int main() {
    char name[16] = "device ", unit[16] = "ms";
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    strcpy(name + strlen(name), "twelve");
    printf("%s, %s\n", name, unit);
}
