// The host looks at managed memory: still a launch for each step.
#include <algorithm>
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

// One step. This is right, but each step is a launch, and the host asks after each.
__global__ void flood_once(const int *from, int *to, int *changed, int step, int height,
                           int width) {
    int p = blockIdx.x * THREADS + threadIdx.x;
    bool mine = false;
    if (p < height * width) {
        to[p] = spread(from, p, height, width);
        mine = to[p] != from[p];
    }
    // One thread says for its block that something has changed in this step.
    if (__syncthreads_or(mine) && threadIdx.x == 0) {
        atomicMax(changed, step);
    }
}

// When it returns, `labels` is complete.
void flood(int *labels, int *room, int *changed, int height, int width) { //~ too-much-work: host_launches
    int *from = labels, *to = room, blocks = (height * width + THREADS - 1) / THREADS;
    int *seen;
    CHECK(cudaMallocManaged(&seen, sizeof(int)));
    *seen = 0;
    for (int step = 1;; step++) {
        flood_once<<<blocks, THREADS>>>(from, to, seen, step, height, width);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (*seen < step) {
            CHECK(cudaFree(seen));
            return; // nothing has changed: labels and room are the same
        }
        std::swap(from, to);
    }
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
