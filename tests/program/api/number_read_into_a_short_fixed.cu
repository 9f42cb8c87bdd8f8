// A number is read as a short, and into one.
#include <cstdio>

__global__ void nothing() {}

int main() {
    const char *line = "grid 12 7";
    char name[8];
    int width = 0;
    short height = 0;
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    sscanf(line, "%s %d %hd", name, &width, &height);
    printf("%s %d %d\n", name, width, height);
    sscanf(line, "%7s %d %hd", name, &width, &height);
    printf("%s %d %d\n", name, width, height);
}
