// More is copied from a local array than it has: its length is that of the array which is copied to.
// exit: stopped
#include <cstdio>
#include <cstring>

__global__ void nothing() {}

int main() {
    long all[6] = {1, 2, 3, 4, 5, 6}, some[4] = {7, 8, 9, 10};
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    memcpy(&all[2], some, sizeof some);
    printf("%ld %ld\n", all[1], all[5]);
    memcpy(all, some, sizeof all); //~ H001
    printf("%ld\n", all[5]);
}
