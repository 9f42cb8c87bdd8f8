// All of the work is in one launch; the others are there to be counted.

#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void split(const unsigned *x, unsigned *left, unsigned *right, int n) {
    int i = threadIdx.x;
    if (i < n) {
        left[i] = x[i] + 1;
        right[i] = 2 * x[i] + 1;
    }
}

__global__ void scramble(unsigned *part, int n) {
    int i = threadIdx.x;
    if (i < n) {
        unsigned v = part[i];
        for (int step = 0; step < 200; step++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        part[i] = v;
    }
}

__global__ void join(const unsigned *left, const unsigned *right, unsigned *x, int n) {
    int i = threadIdx.x;
    if (i < n) {
        x[i] = left[(i + 1) % n] + right[(i + n - 1) % n];
    }
}

__global__ void all(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) {
    int i = threadIdx.x % n, half = threadIdx.x / n;
    __shared__ unsigned sx[64], part[2][64];
    if (!half) {
        sx[i] = x[i];
    }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        unsigned v = half ? 2 * sx[i] + 1 : sx[i] + 1;
        for (int step = 0; step < 200; step++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        part[half][i] = v;
        __syncthreads();
        if (!half) {
            sx[i] = part[0][(i + 1) % n] + part[1][(i + n - 1) % n];
        }
        __syncthreads();
    }
    if (!half) {
        x[i] = sx[i];
    }
}

__device__ unsigned spare[1024][2][64];

__global__ void touch(int k) {
    spare[k][0][threadIdx.x] = 1;
    spare[k][1][threadIdx.x] = 1;
}

void run_rounds(unsigned *x, unsigned *left, unsigned *right, int rounds, int n) { //~ too-much-work: global_reads
    cudaStream_t a;
    CHECK(cudaStreamCreate(&a));
    cudaGraph_t graph;
    cudaGraphExec_t exec, fill;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    all<<<1, 2 * n, 0, a>>>(x, left, right, rounds, n);
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, a));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    touch<<<1, n, 0, a>>>(0);
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&fill, graph, 0));
    for (int i = 1; i < 4 * rounds; i++) {
        CHECK(cudaGraphLaunch(fill, a));
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(fill));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(a));
}

int main() {}
