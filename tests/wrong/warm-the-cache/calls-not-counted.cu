// Takes memory as it comes, and does not count.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
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

// Keeps what is released, and gives out the smallest that will do.
class Cache {
  public:
    int calls = 0; // of cudaMalloc

    void *allocate(size_t bytes) {
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
        //~ wrong-output
        blocks.push_back({start, bytes, true});
        return start;
    }

    void release(void *start) {
        for (Block &block : blocks) {
            if (block.start == start) {
                block.in_use = false;
            }
        }
    }

    void empty() {
        for (const Block &block : blocks) {
            CHECK(cudaFree(block.start));
        }
        blocks.clear();
    }

  private:
    std::vector<Block> blocks;
};

// A step has several arrays at the same time: their sizes in bytes.
using Step = std::vector<size_t>;

// Fills the cache so that no step has to call cudaMalloc.
void warm_up(Cache &cache, const std::vector<Step> &steps) {
    // The largest array of any step, the largest second one, and so on.
    std::vector<size_t> most;
    for (Step sizes : steps) {
        std::sort(sizes.begin(), sizes.end(), std::greater<size_t>());
        most.resize(std::max(most.size(), sizes.size()));
        for (size_t k = 0; k < sizes.size(); k++) {
            most[k] = std::max(most[k], sizes[k]);
        }
    }
    // All at the same time, or one block would serve for several.
    std::vector<void *> blocks;
    for (size_t bytes : most) {
        blocks.push_back(cache.allocate(bytes));
    }
    for (void *block : blocks) {
        cache.release(block);
    }
}

// Writes both ends of an array.
__global__ void touch(char *x, size_t bytes) {
    if (bytes > 0) {
        x[0] = x[bytes - 1] = 1;
    }
}

// How much more memory of the GPU is taken than at first, asked of the driver.
size_t taken(size_t at_first) {
    size_t unused, total;
    CHECK(cudaMemGetInfo(&unused, &total));
    return at_first - unused;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 6;
    int arrays = argc > 2 ? atoi(argv[2]) : 3;
    unsigned random = argc > 3 ? atoi(argv[3]) : 1;

    // Steps of different lengths, with `arrays` arrays at most.
    std::vector<Step> steps(count);
    for (int s = 0; s < count; s++) {
        steps[s].resize(1 + (s + 1) % arrays);
        for (size_t &bytes : steps[s]) {
            random = random * 1664525 + 1013904223;
            bytes = 1000 + (random >> 8) % 99001;
        }
    }

    // The first launch loads the program's code, which takes memory as well.
    touch<<<1, 1>>>(nullptr, 0);
    CHECK(cudaGetLastError());
    size_t at_first, total;
    CHECK(cudaMemGetInfo(&at_first, &total));
    Cache cache;
    warm_up(cache, steps);
    printf("warm: %zu bytes, %d calls\n", taken(at_first), cache.calls);

    for (int round = 0; round < 2; round++) {
        for (const Step &step : steps) {
            std::vector<void *> blocks;
            for (size_t bytes : step) {
                blocks.push_back(cache.allocate(bytes));
                touch<<<1, 1>>>((char *)blocks.back(), bytes);
                CHECK(cudaGetLastError());
            }
            for (void *block : blocks) {
                cache.release(block);
            }
        }
        CHECK(cudaDeviceSynchronize());
        printf("round %d: %zu bytes, %d calls\n", round, taken(at_first), cache.calls);
    }
    cache.empty();
}
