// Pinned memory of which one element was set is copied by the C library: the copies have no more values than it has.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

int main() {
    int *pinned, copied[64], moved[64];
    cudaMallocHost(&pinned, sizeof copied);
    pinned[3] = 3;
    memcpy(copied, pinned, sizeof copied); //~ I001
    memmove(moved, pinned, sizeof moved);
    printf("%d %d\n", copied[3], moved[3]);
    if (copied[40] == 7) printf("copied\n");
    if (moved[41] == 7) printf("moved\n"); //~ I001
    cudaFreeHost(pinned);
}
