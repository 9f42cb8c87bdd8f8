// Times with events; what they print depends on the machine, what they satisfy does not.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void work(float *x, int rounds) {
    float v = threadIdx.x;
    for (int i = 0; i < rounds; i++) v = v * 0.999f + 1.0f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

float milliseconds(float *x, int rounds) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventDefault));
    CHECK(cudaEventRecord(start));
    work<<<64, 128>>>(x, rounds);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}

int main() {
    float *x;
    CHECK(cudaMalloc(&x, 64 * 128 * sizeof(float)));
    milliseconds(x, 1);
    float a = milliseconds(x, 20000), b = milliseconds(x, 200000);
    printf("both positive: %d\n", a > 0 && b > 0);
    printf("ten times the work takes between 5 and 15 times as long: %d\n", b / a > 5 && b / a < 15);
    cudaEvent_t never;
    CHECK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
    printf("an event never recorded is done: %s\n", cudaGetErrorName(cudaEventQuery(never)));
    float ms;
    cudaEvent_t other;
    CHECK(cudaEventCreate(&other));
    CHECK(cudaEventRecord(other));
    CHECK(cudaEventSynchronize(other));
    printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, never, other)));
    cudaGetLastError();
    CHECK(cudaEventDestroy(never));
    CHECK(cudaEventDestroy(other));
    CHECK(cudaFree(x));
}
