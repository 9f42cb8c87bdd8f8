// The clock is kept in a float, which is too coarse for what it says.

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
float now_us() { //~ wrong-output
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

    // The GPU has its context by now. Only the kernel is new in its first launch,
    // and that holds for each of the two.
    double walk_first = time_us(launch_walk);
    double walk_later = time_us(launch_walk);
    double twice_first = time_us(launch_twice);
    double twice_later = time_us(launch_twice);

    // The mean of n rounds is later + (first - later) / n.
    double rounds = (twice_first - twice_later) / (0.01 * twice_later);

    printf("walk  first %.1f us, later %.1f us\n", walk_first, walk_later);
    printf("twice first %.1f us, later %.1f us\n", twice_first, twice_later);
    printf("rounds %.0f\n", rounds);

    CHECK(cudaFree(x));
}
