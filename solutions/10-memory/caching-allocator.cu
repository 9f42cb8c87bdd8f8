// caching-allocator: an allocator that keeps what is released.

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

struct Block {
    void *start;
    size_t bytes;
    bool in_use;
};

class Cache {
  public:
    size_t reserved = 0;                      // bytes obtained from cudaMalloc
    int allocated = 0, current = 0, peak = 0; // requests served, blocks in use, and their peak

    // Returns device memory of at least `bytes` bytes.
    void *allocate(size_t bytes) {
        allocated++;
        current++;
        peak = current > peak ? current : peak;

        // The smallest that fits: the next request may need a larger one.
        Block *best = nullptr;
        for (Block &block : blocks) {
            bool fits = !block.in_use && block.bytes >= bytes;
            if (fits && (!best || block.bytes < best->bytes)) {
                best = &block;
            }
        }
        if (best) {
            best->in_use = true;
            return best->start;
        }

        void *start;
        CHECK(cudaMalloc(&start, bytes));
        blocks.push_back({start, bytes, true});
        reserved += bytes;
        return start;
    }

    // The block is not needed any more. It stays here for the next request.
    void release(void *start) {
        current--;
        for (Block &block : blocks) {
            if (block.start == start) {
                block.in_use = false;
            }
        }
    }

    // Frees the blocks that nobody uses. Those in use stay.
    void empty() {
        std::vector<Block> kept;
        for (const Block &block : blocks) {
            if (block.in_use) {
                kept.push_back(block);
            } else {
                CHECK(cudaFree(block.start));
                reserved -= block.bytes;
            }
        }
        blocks = kept;
    }

  private:
    std::vector<Block> blocks;
};

// Writes the owner at both ends of a block.
__global__ void mark(int *block, size_t last, int owner) {
    block[0] = owner;
    block[last] = owner;
}

// Counts the ends that no longer hold the owner.
__global__ void look(const int *block, size_t last, int owner, int *broken) {
    *broken += (block[0] != owner) + (block[last] != owner);
}

// A user of the allocator: allocates memory, works with it, releases it.
void use_once(Cache &cache, size_t rows, size_t cols) {
    size_t count = rows * cols;
    int *x = (int *)cache.allocate(count * sizeof(float));
    mark<<<1, 1>>>(x, count - 1, 7);
    CHECK(cudaGetLastError());
    cache.release(x);
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    unsigned random = argc > 2 ? atoi(argv[2]) : 1;
    Cache cache;

    // The notebook's requests: float matrices of 4096 rows.
    use_once(cache, 4096, 2048);
    printf("2048 columns: reserved %zu\n", cache.reserved);
    cache.empty();
    printf("emptied: reserved %zu\n", cache.reserved);
    for (size_t cols : {2048, 1024, 3072, 1024, 2048, 3072, 1024, 1024}) {
        use_once(cache, 4096, cols);
        printf("%zu columns: reserved %zu\n", cols, cache.reserved);
    }
    printf("allocated %d, current %d, peak %d\n", cache.allocated, cache.current, cache.peak);
    cache.empty();
    printf("emptied: reserved %zu\n", cache.reserved);

    // Five users who come and go as they like.
    const int USERS = 5;
    int *block[USERS] = {};
    size_t count[USERS];
    int *broken, h_broken;
    CHECK(cudaMalloc(&broken, sizeof(int)));
    CHECK(cudaMemset(broken, 0, sizeof(int)));
    for (int step = 1; step <= steps; step++) {
        random = random * 1664525 + 1013904223;
        int user = (random >> 8) % USERS;
        if (block[user]) {
            look<<<1, 1>>>(block[user], count[user] - 1, 100 + user, broken);
            CHECK(cudaGetLastError());
            cache.release(block[user]);
            block[user] = nullptr;
        } else {
            count[user] = (1 + (random >> 16) % 8) * 100000;
            block[user] = (int *)cache.allocate(count[user] * sizeof(int));
            mark<<<1, 1>>>(block[user], count[user] - 1, 100 + user);
            CHECK(cudaGetLastError());
        }
        if (step % 10 == 0) {
            printf("step %d: current %d, reserved %zu\n", step, cache.current, cache.reserved);
        }
        if (step == steps / 2) {
            cache.empty();
            printf("emptied: current %d, reserved %zu\n", cache.current, cache.reserved);
        }
    }
    for (int user = 0; user < USERS; user++) {
        if (block[user]) {
            cache.release(block[user]);
        }
    }
    cache.empty();
    CHECK(cudaMemcpy(&h_broken, broken, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(broken));
    printf("allocated %d, current %d, peak %d\n", cache.allocated, cache.current, cache.peak);
    printf("emptied: reserved %zu\n", cache.reserved);
    printf("broken %d\n", h_broken);
}
