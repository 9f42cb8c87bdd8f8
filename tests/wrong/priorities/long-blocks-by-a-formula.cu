// The last figure is invented: twice the one before.
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

const int ENTRIES = 1024; // of the table
const int SHORT = 20;     // steps of the urgent block
// A multiprocessor of a T4 has 64 KiB: two such blocks fill it, 80 the GPU.
const int TILE_BYTES = 32 * 1024;

// Follows the table for a number of steps, each of which needs the one before.
__global__ void walk(const int *next, int *out, int steps) {
    int at = blockIdx.x % ENTRIES;
    for (int step = 0; step < steps; step++) {
        at = next[at];
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = at;
    }
}

// Creates a stream of the greatest priority there is, or of the least.
cudaStream_t make_stream(bool urgent) {
    int least, greatest; // 0 and a negative number: lower numbers go first
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? greatest : least));
    return stream;
}

// Microseconds from the moment when an urgent block could begin, while the background
// is at work, to the moment when it is done. The background writes to out + 1 and
// after.
float latency_us(cudaStream_t background, cudaStream_t urgent, int blocks, int steps,
                 const int *next, int *out) {
    walk<<<blocks, 32, TILE_BYTES, background>>>(next, out + 1, steps);
    CHECK(cudaGetLastError());

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    // Both marks in the urgent stream: its whole wait lies between them.
    CHECK(cudaEventRecord(start, urgent));
    walk<<<1, 32, TILE_BYTES, urgent>>>(next, out, SHORT);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, urgent));

    // Also for the background: the next measurement should find the GPU empty.
    CHECK(cudaDeviceSynchronize());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return 1000 * ms;
}

int main(int argc, char **argv) {
    int blocks = argc > 1 ? atoi(argv[1]) : 480;
    int steps = argc > 2 ? atoi(argv[2]) : 150;
    int *next, *out, host[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        host[i] = (5 * i + 77) % ENTRIES;
    }
    CHECK(cudaMalloc(&next, sizeof(host)));
    CHECK(cudaMalloc(&out, (blocks + 1) * sizeof(int)));
    CHECK(cudaMemcpy(next, host, sizeof(host), cudaMemcpyHostToDevice));
    cudaStream_t background = make_stream(false);
    cudaStream_t other = make_stream(false), urgent = make_stream(true);
    int lowest, highest;
    CHECK(cudaStreamGetPriority(background, &lowest));
    CHECK(cudaStreamGetPriority(urgent, &highest));
    printf("background %d, urgent %d\n", lowest, highest);

    float same = latency_us(background, other, blocks, steps, next, out);
    float high = latency_us(background, urgent, blocks, steps, next, out);
    // As much work in the background, in a quarter of the blocks.
    float high_long = latency_us(background, urgent, blocks / 4, steps * 4, next, out);
    printf("same priority              %.0f us\n", same);
    printf("high priority              %.0f us\n", high);
    high_long = 2 * high;
    printf("high priority, long blocks %.0f us\n", high_long); //~ wrong-output

    CHECK(cudaStreamDestroy(background));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaStreamDestroy(urgent));
    CHECK(cudaFree(next));
    CHECK(cudaFree(out));
}
