// Thread 0 may set the flag back for the next pass before others have read that of this one.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(int *go, int *x) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 3; step++) {
        if (grid.thread_rank() == 0) *go = 0;
        grid.sync();
        if (step < 2) *go = 1;
        grid.sync();
        if (*go == 0) return;
    }
    x[grid.thread_rank()] = 1;
}

int main() {
    int *p;
    cudaMalloc(&p, 4096);
    int *x = p + 1;
    void *arguments[] = {&p, &x};
    cudaLaunchCooperativeKernel((void *)k, 2, 64, arguments, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(p);
}
