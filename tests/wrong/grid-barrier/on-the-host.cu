// The host takes the steps.
#include <algorithm>
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

// When it returns, `labels` is complete.
void flood(int *labels, int *room, int *changed, int height, int width) { //~ too-much-work: bytes_to_host
    std::vector<int> from(height * width), to(height * width);
    CHECK(cudaMemcpy(from.data(), labels, from.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (bool any = true; any; std::swap(from, to)) {
        any = false;
        for (int p = 0; p < height * width; p++) {
            int best = from[p], row = p / width, col = p % width;
            if (best >= 0) {
                if (row > 0) best = std::max(best, from[p - width]);
                if (row + 1 < height) best = std::max(best, from[p + width]);
                if (col > 0) best = std::max(best, from[p - 1]);
                if (col + 1 < width) best = std::max(best, from[p + 1]);
            }
            any = any || best != from[p];
            to[p] = best;
        }
    }
    CHECK(cudaMemcpy(labels, from.data(), from.size() * sizeof(int), cudaMemcpyHostToDevice));
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
