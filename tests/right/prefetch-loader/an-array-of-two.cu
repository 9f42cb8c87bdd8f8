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
    if (i < n) {
        atomicAdd(total, x[i]);
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
    Loader(const DataSet &set) : batches(set.begin()) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CHECK(cudaMalloc(&room, 2 * set.size * sizeof(float)));
        size = set.size;
        CHECK(cudaEventCreate(&arrived));
        prefetch();
    }

    ~Loader() {
        cudaStreamSynchronize(stream);
        cudaEventDestroy(arrived);
        cudaFree(room);
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

void sum_batches(const float *data, float *sums, int n, int size) {
    Loader loader(DataSet{data, n, size});
    float *d_total;
    CHECK(cudaMalloc(&d_total, sizeof(float)));
    for (int b = 0; b * size < n; b++) {
        float *batch;
        int count = loader.next(&batch);
        CHECK(cudaMemset(d_total, 0, sizeof(float)));
        add_up<<<(count + 255) / 256, 256>>>(batch, d_total, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&sums[b], d_total, sizeof(float), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_total));
}

int main() {
    float *data, sums[3];
    CHECK(cudaMallocHost(&data, 5 * sizeof(float)));
    for (int i = 0; i < 5; i++) {
        data[i] = i;
    }
    sum_batches(data, sums, 5, 2);
    printf("%g %g %g\n", sums[0], sums[1], sums[2]); // 1 5 4
    CHECK(cudaFreeHost(data));
}
