// A text fills its array, and a precision says how much of it is printed.
#include <cstdio>

__global__ void nothing() {}

int main(int argc, char **argv) {
    char unit[] = "ms", mark[4] = {'d', 'o', 'n', 'e'};
    if (argc > 5) unit[0] = mark[0] = 'u';
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d %s\n", 3, unit);
    printf("%d %s %.*s\n", 3, unit, 4, mark);
}
