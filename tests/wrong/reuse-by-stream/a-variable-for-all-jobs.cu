// Each job has a place of its own in a variable of the program, and nothing comes from the cache.

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
    cudaStream_t stream; // the stream it belongs to, for good
};

// Keeps what is released, for the next request.
class Cache {
  public:
    // Returns memory for work in `stream`.
    void *allocate(size_t bytes, cudaStream_t stream) {
        Block *best = nullptr;
        for (Block &block : blocks) {
            // The last owner may still have work on it under way. In the same stream,
            // ours runs after that.
            bool fits = !block.in_use && block.stream == stream && block.bytes >= bytes;
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
        blocks.push_back({start, bytes, true, stream});
        return start;
    }

    // Called when all work on the block has been launched. It need not be done.
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

// Stirs n numbers for a long time.
__global__ void stir(const unsigned *x, unsigned *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = x[i];
        for (int round = 0; round < 5000; round++) {
            h = (h ^ h >> 15) * 2246822519;
        }
        y[i] = h;
    }
}

// z[i] is the sum of a number and its right neighbour, the last one's being the first.
__global__ void pairs(const unsigned *y, unsigned *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = y[i] + y[(i + 1) % n];
    }
}

__device__ unsigned many[16 * 65];

// Works through `jobs` jobs of n numbers each, alternating between two streams. The
// numbers of a job are stirred into memory from the cache, and the pairs go to d_out.
void run_jobs(const unsigned *d_in, unsigned *d_out, int jobs, int n) {
    cudaStream_t streams[2];
    CHECK(cudaStreamCreate(&streams[0]));
    CHECK(cudaStreamCreate(&streams[1]));
    Cache cache;
    unsigned *room;
    CHECK(cudaGetSymbolAddress((void **)&room, many));
    for (int job = 0; job < jobs; job++) {
        cudaStream_t stream = streams[job % 2];
        unsigned *y = room + job * n; //~ too-much-work: allocations
        stir<<<(n + 63) / 64, 64, 0, stream>>>(d_in + job * n, y, n);
        CHECK(cudaGetLastError());
        pairs<<<(n + 63) / 64, 64, 0, stream>>>(y, d_out + job * n, n);
        CHECK(cudaGetLastError());
        cache.release(y);
    }
    CHECK(cudaDeviceSynchronize());
    cache.empty();
    CHECK(cudaStreamDestroy(streams[0]));
    CHECK(cudaStreamDestroy(streams[1]));
}

int main() {
    const int JOBS = 16, N = 32;
    unsigned in[JOBS * N], out[JOBS * N], *d_in, *d_out;
    for (int i = 0; i < JOBS * N; i++) {
        in[i] = i;
    }
    CHECK(cudaMalloc(&d_in, sizeof(in)));
    CHECK(cudaMalloc(&d_out, sizeof(out)));
    CHECK(cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice));
    run_jobs(d_in, d_out, JOBS, N);
    CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    printf("%08x %08x\n", out[0], out[JOBS * N - 1]); // e6559492 a1e5e8bf
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
}
