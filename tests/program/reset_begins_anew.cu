// With a device's context its variables and its heap come anew.
#include <cstdio>

__device__ int count = 5;
__device__ char *block;

__global__ void add() { count += 2; }

__global__ void take(size_t bytes) { block = static_cast<char *>(malloc(bytes)); }

static int now() {
    int value = -1;
    cudaMemcpyFromSymbol(&value, count, sizeof(int));
    return value;
}

static bool has_block() {
    char *found = nullptr;
    cudaMemcpyFromSymbol(&found, block, sizeof(found));
    return found != nullptr;
}

int main() {
    int value = 7;
    cudaMemcpyToSymbol(count, &value, sizeof(int));
    add<<<1, 1>>>();
    take<<<1, 1>>>(6u << 20);
    printf("before: %d, %d\n", now(), has_block());
    cudaDeviceReset();
    printf("reset: %d, %d\n", now(), has_block());
    add<<<1, 1>>>();
    take<<<1, 1>>>(6u << 20);
    printf("after: %d, %d\n", now(), has_block());
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
