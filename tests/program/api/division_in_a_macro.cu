// A macro that divides, once by a constant that is zero, divides what else it is used for.
#include <cstdio>

#define QUOTIENT(a, b) ((a) / (b))
#define REST(a, b) ((a) % (b))

const int groups = 0;

__global__ void nothing() {}

int main(int argc, char **argv) {
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (argc > 5) printf("%d %d\n", QUOTIENT(argc, groups), REST(argc, groups));
    unsigned __int128 wide = (unsigned __int128)1 << 100;
    printf("%llu\n", (unsigned long long)QUOTIENT(wide, (unsigned __int128)1 << 90));
    printf("%llu\n", (unsigned long long)REST(wide + 5, (unsigned __int128)1 << 90));
    printf("%d\n", REST(-7, 4));
}
