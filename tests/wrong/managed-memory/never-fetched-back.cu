// The pages are fetched for the kernels, but not for the host.
//
// seeds, out: n numbers each, odd: one for each round; all three in host memory.

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// Stirs each number once, and adds to *odd how many are odd then. Leave it as it is.
__global__ void stir(unsigned *x, unsigned *odd, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_odd = false;
    if (i < n) {
        unsigned v = x[i] * 2246822519u;
        v ^= v >> 13;
        x[i] = v;
        is_odd = v % 2 == 1;
    }
    int count = __syncthreads_count(is_odd); // in the block
    if (threadIdx.x == 0) {
        atomicAdd(odd, count);
    }
}

// When it returns, `out` and `odd` are complete.
void stir_all(const unsigned *seeds, unsigned *out, unsigned *odd, int n, int rounds) { //~ too-much-work: speedup_over_starter_percent
    size_t bytes = n * sizeof(unsigned);
    int device;
    CHECK(cudaGetDevice(&device));
    unsigned *x, *counts;
    CHECK(cudaMallocManaged(&x, bytes));
    CHECK(cudaMallocManaged(&counts, rounds * sizeof(unsigned)));
    memcpy(x, seeds, bytes);
    memset(counts, 0, rounds * sizeof(unsigned));

    // All pages at once, before the kernels ask for one after the other.
    CHECK(cudaMemPrefetchAsync(x, bytes, device));
    CHECK(cudaMemPrefetchAsync(counts, rounds * sizeof(unsigned), device));
    for (int round = 0; round < rounds; round++) {
        // A place for each round: so the host need not look before all are done.
        stir<<<(n + 255) / 256, 256>>>(x, counts + round, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize()); // only now may the host use them
    memcpy(out, x, bytes);
    memcpy(odd, counts, rounds * sizeof(unsigned));
    CHECK(cudaFree(x));
    CHECK(cudaFree(counts));
}

int main() {
    const int N = 1000, ROUNDS = 3;
    unsigned seeds[N], out[N], odd[ROUNDS];
    for (int i = 0; i < N; i++) {
        seeds[i] = i;
    }
    stir_all(seeds, out, odd, N, ROUNDS);
    printf("%u %u %u\n", odd[0], odd[1], odd[2]);
}
