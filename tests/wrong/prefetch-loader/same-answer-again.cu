// Takes the second call for a repetition of the first: the sums of its batches are kept.

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

__global__ void add_up(const float *x, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? x[i] : 0;
    // The lanes of a warp add up first: fewer atomics meet at one address.
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, sum);
    }
}

// Walks through a data set, one batch at a time.
struct Iterator {
    const float *at, *end;
    int size;

    // Where the next batch begins, and how many numbers it has: `size`, fewer at the
    // end, and 0 past the end.
    int next(const float **batch) {
        int count = std::min<long long>(size, end - at);
        *batch = at;
        at += count;
        return count;
    }
};

struct DataSet {
    const float *data; // in pinned memory
    int n, size;

    Iterator begin() const {
        return {data, data + n, size};
    }
};

// Returns the batches of a data set in device memory, in order. While one is in use,
// the next one is on its way. `room` has room for two batches.
class Loader {
  public:
    Loader(const DataSet &set, float *room) : batches(set.begin()) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        ready = room;
        arriving = room + set.size;
        prefetch();
    }

    ~Loader() {
        cudaStreamSynchronize(stream); // the last copy may be under way
        cudaStreamDestroy(stream);
    }

    // Returns the next batch, and how many numbers it has. It stays valid until
    // next() is called again.
    int next(float **batch) {
        CHECK(cudaStreamSynchronize(stream)); // until the batch has arrived
        std::swap(ready, arriving);
        // prefetch() is about to change it, for the next batch.
        int its = count;
        prefetch();
        *batch = ready;
        return its;
    }

  private:
    // Starts the copy of the next batch.
    void prefetch() {
        const float *from;
        count = batches.next(&from);
        size_t bytes = count * sizeof(float);
        CHECK(cudaMemcpyAsync(arriving, from, bytes, cudaMemcpyHostToDevice, stream));
    }

    // Lives as long as the loader: it knows how far we are.
    Iterator batches;
    cudaStream_t stream;
    float *ready, *arriving;
    int count; // numbers in the batch that is arriving
};

// sums[b] becomes the sum of batch b. All but the last have `size` numbers. d_room, with
// room for two batches, and d_total, one float, are in device memory.
void sum_batches(const float *data, float *sums, float *d_room, float *d_total, int n, int size) {
    static std::vector<float> known;
    Loader loader(DataSet{data, n, size}, d_room);
    for (int b = 0; b * size < n; b++) {
        float *batch;
        int count = loader.next(&batch);
        CHECK(cudaMemset(d_total, 0, sizeof(float)));
        add_up<<<(count + 255) / 256, 256>>>(batch, d_total, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&sums[b], d_total, sizeof(float), cudaMemcpyDeviceToHost));
        if (b == (int)known.size()) {
            known.push_back(sums[b]);
        }
        sums[b] = known[b]; //~ wrong-result
    }
}

int main() {
    float *data, *d_room, *d_total, sums[3];
    CHECK(cudaMallocHost(&data, 5 * sizeof(float)));
    CHECK(cudaMalloc(&d_room, 2 * 2 * sizeof(float)));
    CHECK(cudaMalloc(&d_total, sizeof(float)));
    for (int i = 0; i < 5; i++) {
        data[i] = i;
    }
    sum_batches(data, sums, d_room, d_total, 5, 2);
    printf("%g %g %g\n", sums[0], sums[1], sums[2]); // 1 5 4
    CHECK(cudaFree(d_total));
    CHECK(cudaFree(d_room));
    CHECK(cudaFreeHost(data));
}
