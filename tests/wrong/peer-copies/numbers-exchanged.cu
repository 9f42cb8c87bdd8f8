// Exchanges the numbers of the two GPUs in the copy.
// peer-copies: two GPUs, each with a row of its own, which need each other's row
// in every step.
//
// in, out: two rows of n numbers, in host memory.

#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// A step: own[i] becomes a scramble of itself and of a number of the other row.
__global__ void mix(unsigned *own, const unsigned *other, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = own[i] + other[n - 1 - i];
        for (int round = 0; round < rounds; round++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        own[i] = v;
    }
}

// What a GPU has: its row, and room for a copy of the other GPU's row.
struct Gpu {
    unsigned *own, *other;
};

// Before the first exchange: without this the driver silently moves copies from GPU
// to GPU through the host.
void connect() {
    for (int g = 0; g < 2; g++) {
        int possible;
        CHECK(cudaDeviceCanAccessPeer(&possible, g, 1 - g));
        if (possible) {
            CHECK(cudaSetDevice(g)); // GPU g may now use the memory of the other
            CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
        }
    }
}

// Copies each GPU's row to the other GPU: own of 0 to other of 1, and back.
void exchange(const Gpu *gpu, int n) {
    // Each copy waits for the kernels of both GPUs before it, and those after it wait
    // for the copy: so the next step finds this row, not a later one.
    for (int g = 0; g < 2; g++) {
        // Each address has the number of the other GPU.
        CHECK(cudaMemcpyPeer(gpu[1 - g].other, g, gpu[g].own, 1 - g, //~ copy-device
                             n * sizeof(unsigned)));
    }
}

// When it returns, `out` is complete.
void run_both(const unsigned *in, unsigned *out, int n, int steps, int rounds) {
    size_t bytes = n * sizeof(unsigned);
    Gpu gpu[2];
    for (int g = 0; g < 2; g++) {
        CHECK(cudaSetDevice(g));
        // One allocation for both: each call costs time.
        CHECK(cudaMalloc(&gpu[g].own, 2 * bytes));
        gpu[g].other = gpu[g].own + n;
        CHECK(cudaMemcpy(gpu[g].own, in + g * n, bytes, cudaMemcpyHostToDevice));
    }
    connect();

    for (int step = 0; step < steps; step++) {
        exchange(gpu, n);
        for (int g = 0; g < 2; g++) {
            CHECK(cudaSetDevice(g));
            mix<<<(n + 255) / 256, 256>>>(gpu[g].own, gpu[g].other, n, rounds);
            CHECK(cudaGetLastError());
        }
    }

    for (int g = 0; g < 2; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpy(out + g * n, gpu[g].own, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(gpu[g].own));
    }
    CHECK(cudaSetDevice(0));
}

int main() {
    const int N = 1 << 16;
    std::vector<unsigned> in(2 * N), out(2 * N);
    for (int i = 0; i < 2 * N; i++) {
        in[i] = i + 1;
    }
    run_both(in.data(), out.data(), N, 2, 4);
    printf("%u %u\n", out[0], out[N]);
}
