// The flag is read anew each time.
#include <cstdio>

__global__ void hand_on(int *flag, int *out) {
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {
        }
        out[0] = 1;
    } else {
        atomicExch(flag, 1);
    }
}

int main() {
    int *flag, *out;
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    hand_on<<<2, 1>>>(flag, out);
    int result = 0;
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(flag);
    cudaFree(out);
}
