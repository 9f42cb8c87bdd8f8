// A number is read as an int, and the variable that it is for is a short.
// exit: stopped
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
    sscanf(line, "%7s %d %d", name, &width, &height); //~ H001
    printf("%s %d %d\n", name, width, height);
}
