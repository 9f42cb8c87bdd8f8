// All of the pinned memory was set before it is copied.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

int main() {
    int *pinned, copied[64], moved[64];
    cudaMallocHost(&pinned, sizeof copied);
    for (int i = 0; i < 64; i++) pinned[i] = i;
    memcpy(copied, pinned, sizeof copied);
    memmove(moved, pinned, sizeof moved);
    printf("%d %d\n", copied[3], moved[3]);
    if (copied[40] == 7) printf("copied\n");
    if (moved[41] == 7) printf("moved\n");
    cudaFreeHost(pinned);
}
