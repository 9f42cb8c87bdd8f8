// The time since an event is asked for that was never recorded: the variable for it stays unset, which is not told again.
#include <cstdio>

__global__ void work(int *x) {
    *x = 1;
}

int main() {
    int *d_x;
    float ms;
    cudaEvent_t start, stop;
    cudaMalloc(&d_x, sizeof(int));
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    work<<<1, 1>>>(d_x);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop); //~ A010
    if (ms > 1e30f) printf("for ages\n");
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_x);
}
