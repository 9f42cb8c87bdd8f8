// A search in a local array finds nothing and gives a null pointer, which is followed.
// exit: stopped
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

struct Sample {
    int id;
    float value;
};

Sample *find(Sample *samples, int n, int id) {
    for (int i = 0; i < n; i++)
        if (samples[i].id == id) return &samples[i];
    return nullptr;
}

__global__ void measure(float *x) { x[threadIdx.x] = 0.25f * threadIdx.x; }

int main(int argc, char **argv) {
    const int n = 8;
    float *x;
    Sample samples[n];
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    measure<<<1, n>>>(x);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) samples[i] = {10 * i + argc, x[i]};
    Sample *wanted = find(samples, n, 32);
    printf("%g\n", wanted->value); //~ H005
    CHECK(cudaFree(x));
}
