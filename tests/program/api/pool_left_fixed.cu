// A pool is created and has to be destroyed: in each round.
#include <stdio.h>

int main() {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    for (int round = 0; round < 2; round++) {
        cudaMemPool_t pool;
        int *x;
        cudaMemPoolCreate(&pool, &props);
        if (cudaMallocFromPoolAsync(&x, 400, pool, 0) != cudaSuccess) return 1;
        cudaFreeAsync(x, 0);
        cudaMemPoolDestroy(pool);
    }
    cudaDeviceSynchronize();
    printf("done\n");
}
