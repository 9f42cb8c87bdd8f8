// Two buffers by their number, in one allocation, and an event behind each copy.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

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

struct Iterator {
    const float *at, *end;
    int size;

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

class Loader {
  public:
    Loader(const DataSet &set, float *space) : batches(set.begin()) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        room = space;
        size = set.size;
        CHECK(cudaEventCreate(&arrived));
        prefetch();
    }

    ~Loader() {
        cudaStreamSynchronize(stream); // the last copy may be under way
        cudaEventDestroy(arrived);
        cudaStreamDestroy(stream);
    }

    int next(float **batch) {
        CHECK(cudaEventSynchronize(arrived));
        *batch = room + now * size;
        now = 1 - now;
        int its = count;
        prefetch();
        return its;
    }

  private:
    void prefetch() {
        const float *from;
        count = batches.next(&from);
        size_t bytes = count * sizeof(float);
        CHECK(cudaMemcpyAsync(room + now * size, from, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(arrived, stream));
    }

    Iterator batches;
    cudaStream_t stream;
    cudaEvent_t arrived;
    float *room;
    int size, now = 0, count = 0;
};

void sum_batches(const float *data, float *sums, float *d_room, float *d_total, int n, int size) {
    Loader loader(DataSet{data, n, size}, d_room);
    for (int b = 0; b * size < n; b++) {
        float *batch;
        int count = loader.next(&batch);
        CHECK(cudaMemset(d_total, 0, sizeof(float)));
        add_up<<<(count + 255) / 256, 256>>>(batch, d_total, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&sums[b], d_total, sizeof(float), cudaMemcpyDeviceToHost));
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
