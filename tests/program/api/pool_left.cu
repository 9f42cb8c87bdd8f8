// A pool is created and has to be destroyed, but not every round does so.
#include <stdio.h>

int main() {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    for (int round = 0; round < 2; round++) {
        cudaMemPool_t pool;
        int *x;
        cudaMemPoolCreate(&pool, &props); //~ A009
        if (cudaMallocFromPoolAsync(&x, 400, pool, 0) != cudaSuccess) return 1;
        cudaFreeAsync(x, 0);
        if (round == 1) cudaMemPoolDestroy(pool);
    }
    cudaDeviceSynchronize();
    printf("done\n");
}
