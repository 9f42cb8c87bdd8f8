// A block may write for the next step before another has read for this one: a barrier of its own block does not help.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void rounds(int *changed, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 1;; step++) {
        __syncthreads();
        if (step < steps && threadIdx.x == 0 && blockIdx.x == 0) *changed = step; //~ R002
        grid.sync();
        if (*changed < step) return;
    }
}

int main() {
    int *changed, steps = 4;
    cudaMalloc(&changed, sizeof(int));
    cudaMemset(changed, 0, sizeof(int));
    void *arguments[] = {&changed, &steps};
    cudaLaunchCooperativeKernel((void *)rounds, 4, 32, arguments, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(changed);
    printf("done\n");
}
