// Of two branches that each open a brace, which is closed once behind them, one is compiled.
#include <cstdio>
#include <vector>

__global__ void k(int *o, int n) {
#ifdef UNROLL
    for (int i = threadIdx.x; i < n; i += 64) {
#else
    for (int i = threadIdx.x; i < n; i += 32) {
#endif
        o[i] = i;
    }
}

#define LEVEL 2
#if LEVEL > 2
static int helper(int n) {
    if (n > 3) {
#else
static int helper(int n) {
    if (n > 2) {
#endif
        return 1;
    }
    return 0;
}
static std::vector<int> tab = {1, 2, 3};

int main(int argc, char **) {
    int n = 10 + argc;
    int vla[n];
    vla[n - 1] = 4;
    int *o, h;
    cudaMalloc(&o, 40 * sizeof(int));
    k<<<1, 32>>>(o, 40);
    cudaMemcpy(&h, o + 39, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(o);
    printf("%d %zu %d\n", vla[n - 1], tab.size() * helper(9), h);
}
