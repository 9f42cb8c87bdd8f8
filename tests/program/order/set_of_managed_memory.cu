// The host waits for cudaMemset() of memory that it reaches itself.
#include <cstdio>

int main() {
    int *managed, *pinned;
    cudaMallocManaged(&managed, 100 * sizeof(int));
    cudaMallocHost(&pinned, 100 * sizeof(int));
    cudaMemset(managed, 0, 100 * sizeof(int));
    cudaMemset2D(pinned, 10 * sizeof(int), 0, 10 * sizeof(int), 10);
    managed[0] = 3;
    pinned[0] = 4;
    printf("%d %d %d %d\n", managed[0], managed[1], pinned[0], pinned[99]);
    cudaFree(managed);
    cudaFreeHost(pinned);
}
