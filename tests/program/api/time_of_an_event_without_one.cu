// The time since an event is asked for that keeps none.
#include <cstdio>

__global__ void work(int *x) {
    *x = 1;
}

int main() {
    int *d_x;
    float ms;
    cudaEvent_t start, stop;
    cudaMalloc(&d_x, sizeof(int));
    cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    work<<<1, 1>>>(d_x);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop); //~ A010
    if (ms > 1e30f) printf("for ages\n");
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_x);
}
