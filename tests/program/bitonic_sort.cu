// A sort in many launches, checked against the library's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void exchange(int *x, int j, int k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
    if (other > i) {
        bool up = (i & k) == 0;
        if ((x[i] > x[other]) == up) {
            int t = x[i];
            x[i] = x[other];
            x[other] = t;
        }
    }
}

int compare(const void *a, const void *b) { return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b); }

int main() {
    const int n = 2048;
    std::vector<int> h(n);
    srand(7);
    for (int &v : h) v = rand() % 100000 - 50000;
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int launches = 0;
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1, ++launches) exchange<<<n / 256, 256>>>(d, j, k);
    std::vector<int> got(n);
    cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> again(h);
    std::sort(h.begin(), h.end());
    qsort(again.data(), n, sizeof(int), compare);
    printf("%d launches, as std::sort: %d, as qsort: %d\n", launches, got == h, got == again);
    printf("first %d, middle %d, last %d\n", got.front(), got[n / 2], got.back());
    printf("%d of 0 found: %d\n", n, (int)std::binary_search(got.begin(), got.end(), got[5]));
    cudaFree(d);
}
