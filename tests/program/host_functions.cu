// Host functions in stream order, and the order of two streams by an event.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

struct Log { std::vector<int> entries; };
struct Entry { Log *log; int number; };

void note(void *data) {
    Entry *entry = static_cast<Entry *>(data);
    entry->log->entries.push_back(entry->number);
}

void note_callback(cudaStream_t, cudaError_t status, void *data) {
    if (status == cudaSuccess) note(data);
}

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main() {
    Log log;
    Entry entries[4] = {{&log, 1}, {&log, 2}, {&log, 3}, {&log, 4}};
    int *x;
    CHECK(cudaMallocManaged(&x, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++) x[i] = i;
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, 0));
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaLaunchHostFunc(a, note, &entries[0]));
    twice<<<1, 32, 0, a>>>(x);
    CHECK(cudaLaunchHostFunc(a, note, &entries[1]));
    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    CHECK(cudaStreamAddCallback(b, note_callback, &entries[2], 0));
    twice<<<1, 32, 0, b>>>(x);
    CHECK(cudaLaunchHostFunc(b, note, &entries[3]));
    CHECK(cudaStreamSynchronize(b));
    for (int number : log.entries) printf("%d ", number);
    printf("\nx[31] = %d, a is done: %s\n", x[31], cudaGetErrorName(cudaStreamQuery(a)));
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(x));
}
