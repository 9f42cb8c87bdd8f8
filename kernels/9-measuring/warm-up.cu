// warm-up: what does the first launch of a kernel cost?
//
//     gpulearn run --as t4 kernels/9-measuring/warm-up.cu

#include <chrono>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The host's clock, in microseconds.
double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Each thread takes `steps` steps, each of which needs the one before.
__global__ void walk(float *x, int steps) {
    float v = x[threadIdx.x];
    for (int i = 0; i < steps; i++) {
        v = v * 0.5f + 1;
    }
    x[threadIdx.x] = v;
}

__global__ void twice(float *x) {
    x[threadIdx.x] *= 2;
}

float *x;  // 64 floats
int steps; // of walk()

void launch_walk() {
    walk<<<1, 64>>>(x, steps);
}

void launch_twice() {
    twice<<<1, 64>>>(x);
}

// Microseconds from the launch until the host knows that the work is done.
double time_us(void (*launch)()) {
    double start = now_us();
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return now_us() - start;
}

int main(int argc, char **argv) {
    steps = argc > 1 ? atoi(argv[1]) : 10000;
    float zeros[64] = {};
    CHECK(cudaMalloc(&x, sizeof(zeros)));
    CHECK(cudaMemcpy(x, zeros, sizeof(zeros), cudaMemcpyHostToDevice)); // done when it returns

    // Write it here: measure the first round and a later one of each kernel.
    double walk_first = 0, walk_later = 0;
    double twice_first = 0, twice_later = 0;

    // Write it here: for how many rounds of launch_twice, including the first,
    // is the mean only one hundredth above a later round?
    double rounds = 0;

    printf("walk  first %.1f us, later %.1f us\n", walk_first, walk_later);
    printf("twice first %.1f us, later %.1f us\n", twice_first, twice_later);
    printf("rounds %.0f\n", rounds);

    CHECK(cudaFree(x));
}
