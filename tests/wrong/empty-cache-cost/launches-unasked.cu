// Does not clear the error, and no launch is asked for its own: nobody finds it.
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

// A GPU that other programs use as well: gpu_malloc() and gpu_free() are like cudaMalloc
// and cudaFree, but what would be too much is refused. Leave all of this as it is. What
// is private here cannot be known on a real GPU either.
class Others {
    size_t room = 0; // what they leave
    struct Piece {
        void *start;
        size_t bytes;
    } pieces[64] = {};

    friend void others_leave(long long bytes);
    template <typename T> friend cudaError_t gpu_malloc(T **start, size_t bytes);
    friend cudaError_t gpu_free(void *start);
} others;

void others_leave(long long bytes) {
    others.room = bytes;
}

template <typename T> cudaError_t gpu_malloc(T **start, size_t bytes) {
    for (auto &piece : others.pieces) {
        if (!piece.start) {
            // No GPU has this much: CUDA itself refuses.
            cudaError_t result = cudaMalloc(start, bytes <= others.room ? bytes : 1ull << 50);
            if (result == cudaSuccess) {
                others.room -= bytes;
                piece = {*start, bytes};
            }
            return result;
        }
    }
    return cudaErrorMemoryAllocation;
}

cudaError_t gpu_free(void *start) {
    for (auto &piece : others.pieces) {
        if (start && piece.start == start) {
            others.room += piece.bytes;
            piece = {};
        }
    }
    return cudaFree(start);
}

struct Block {
    void *start;
    size_t bytes;
    bool in_use;
};

// Keeps what is released, for the next request.
class Cache {
  public:
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
        cudaError_t result = gpu_malloc(&start, bytes);
        if (result == cudaErrorMemoryAllocation) {
            // Only now is the cached memory worth giving back.
            empty();
            result = gpu_malloc(&start, bytes);
        }
        CHECK(result);
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

    // Frees the blocks that nobody uses.
    void empty() {
        std::vector<Block> kept;
        for (const Block &block : blocks) {
            if (block.in_use) {
                kept.push_back(block);
            } else {
                CHECK(gpu_free(block.start));
            }
        }
        blocks = kept;
    }

  private:
    std::vector<Block> blocks;
};

__global__ void square(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] * x[i];
    }
}

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

__global__ void add_up(const float *z, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, z[i]);
    }
}

// One round: adds x * x + x of the first n numbers of d_x to *d_total.
void round_of(Cache &cache, const float *d_x, float *d_total, int n) {
    int blocks = (n + 255) / 256;
    float *y = (float *)cache.allocate(n * sizeof(float));
    float *z = (float *)cache.allocate(n * sizeof(float));
    square<<<blocks, 256>>>(d_x, y, n); //~ too-much-work: unchecked_launches
    add<<<blocks, 256>>>(d_x, y, z, n);
    add_up<<<blocks, 256>>>(z, d_total, n);
    cache.release(y);
    cache.release(z);
}

const int TIMES[] = {2, 1, 3};

// Three phases of `rounds` rounds each, with 2 n, n and 3 n numbers.
void train(const float *d_x, float *d_totals, int rounds, int n) {
    Cache cache;
    for (int phase = 0; phase < 3; phase++) {
        CHECK(cudaMemset(d_totals + phase, 0, sizeof(float)));
        for (int r = 0; r < rounds; r++) {
            round_of(cache, d_x, d_totals + phase, TIMES[phase] * n);
        }
    }
    cache.empty();
}

int main() {
    const int N = 500;
    float x[3 * N], totals[3], *d_x, *d_totals;
    for (int i = 0; i < 3 * N; i++) {
        x[i] = i % 10;
    }
    CHECK(cudaMalloc(&d_x, sizeof(x)));
    CHECK(cudaMalloc(&d_totals, sizeof(totals)));
    CHECK(cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice));
    others_leave(14400);
    train(d_x, d_totals, 8, N);
    CHECK(cudaMemcpy(totals, d_totals, sizeof(totals), cudaMemcpyDeviceToHost));
    printf("%g %g %g\n", totals[0], totals[1], totals[2]); // 264000 132000 396000
    CHECK(cudaFree(d_totals));
    CHECK(cudaFree(d_x));
}
