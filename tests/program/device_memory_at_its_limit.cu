// Device memory costs this machine nothing until it is written; then it has a limit.
// modelled: the limit is of this machine's memory, which a GPU's own does not count towards
// exit: Limit(LimitReached { line: Some(12), limit: MachineMemory { most_bytes: 4294967296 } })
#include <cstdio>

int main() {
    char *block;
    const size_t bytes = 6ull << 30;
    printf("made: %s\n", cudaGetErrorName(cudaMalloc(&block, bytes)));
    printf("a part: %s\n", cudaGetErrorName(cudaMemset(block + bytes / 2, 1, 1 << 20)));
    fflush(stdout);
    cudaMemset(block, 1, bytes), cudaDeviceSynchronize();
    printf("not reached\n");
    return 0;
}
