// A barrier made of atomics, in a plain launch: nothing says that all blocks run at the same time.
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define THREADS 256

// Returns what cell p becomes: the largest of itself and its neighbours. (The number of
// a wall is below all others.)
__device__ int spread(const int *labels, int p, int height, int width) {
    int best = labels[p], row = p / width, col = p % width;
    if (best >= 0) {
        if (row > 0) best = max(best, labels[p - width]);
        if (row + 1 < height) best = max(best, labels[p + width]);
        if (col > 0) best = max(best, labels[p - 1]);
        if (col + 1 < width) best = max(best, labels[p + 1]);
    }
    return best;
}

__device__ unsigned arrived; // how many times a block has come to the barrier

// All steps. All blocks of the grid run at the same time, and there may be fewer threads
// than cells.
__global__ void flood_all(int *labels, int *room, int *changed, int height, int width) {
    int first = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    int *from = labels, *to = room;
    for (int step = 1;; step++) {
        bool mine = false; // whether a cell of this thread has changed
        for (int p = first; p < height * width; p += threads) {
            to[p] = spread(from, p, height, width);
            mine = mine || to[p] != from[p];
        }
        // One thread says for its block that something has changed in this step. The
        // numbers of steps only grow, so nothing has to be set back.
        if (__syncthreads_or(mine) && threadIdx.x == 0) {
            atomicMax(changed, step);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&arrived, 1u);
            while (*(volatile unsigned *)&arrived < (unsigned)step * gridDim.x) {
            }
            __threadfence();
        }
        __syncthreads(); // all cells are there, and whether any has changed
        // A slow thread may see the number of the step after: then there is one, and it
        // goes on, too. volatile: others may be changing it.
        if (*(volatile int *)changed < step) {
            return;
        }
        int *other = from;
        from = to;
        to = other;
    }
}

// When it returns, `labels` is complete.
void flood(int *labels, int *room, int *changed, int height, int width) { //~ too-much-work: cooperative_launches
    // A barrier for all blocks needs all of them on the GPU at the same time.
    int device, multiprocessors, blocks;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, flood_all, THREADS, 0));
    blocks = std::min(blocks * multiprocessors, (height * width + THREADS - 1) / THREADS);

    unsigned none = 0;
    CHECK(cudaMemcpyToSymbol(arrived, &none, sizeof(none)));
    flood_all<<<blocks, THREADS>>>(labels, room, changed, height, width);
    CHECK(cudaGetLastError());
    // The last step has changed nothing: so labels and room are the same.
    CHECK(cudaDeviceSynchronize());
}

int main() {
    // Two regions, and a wall between them.
    const int HEIGHT = 3, WIDTH = 5, CELLS = HEIGHT * WIDTH;
    int host[CELLS] = {1, 2, -1, 5, 6, 3, 9, -1, 7, 4, 8, 0, -1, 2, 1};
    int *labels, *room, *changed;
    CHECK(cudaMalloc(&labels, sizeof(host)));
    CHECK(cudaMalloc(&room, sizeof(host)));
    CHECK(cudaMalloc(&changed, sizeof(int)));
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    CHECK(cudaMemcpy(labels, host, sizeof(host), cudaMemcpyHostToDevice));
    flood(labels, room, changed, HEIGHT, WIDTH);
    CHECK(cudaMemcpy(host, labels, sizeof(host), cudaMemcpyDeviceToHost));
    for (int p = 0; p < CELLS; p++) {
        printf("%2d%c", host[p], p % WIDTH < WIDTH - 1 ? ' ' : '\n'); // 9 9 -1 7 7, three times
    }
    CHECK(cudaFree(labels));
    CHECK(cudaFree(room));
    CHECK(cudaFree(changed));
}
