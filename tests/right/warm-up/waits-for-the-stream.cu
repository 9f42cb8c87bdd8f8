// The stream is waited for; the rounds by another formula.
#include <chrono>
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

double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

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

double time_us(void (*launch)()) {
    double start = now_us();
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(nullptr));
    return now_us() - start;
}

int main(int argc, char **argv) {
    steps = argc > 1 ? atoi(argv[1]) : 10000;
    float zeros[64] = {};
    CHECK(cudaMalloc(&x, sizeof(zeros)));
    CHECK(cudaMemcpy(x, zeros, sizeof(zeros), cudaMemcpyHostToDevice)); // done when it returns

    double walk_first = time_us(launch_walk);
    double walk_later = time_us(launch_walk);
    double twice_first = time_us(launch_twice);
    double twice_later = time_us(launch_twice);

    double extra = twice_first - twice_later, percent = twice_later / 100;
    double rounds = extra / percent;

    printf("walk  first %.1f us, later %.1f us\n", walk_first, walk_later);
    printf("twice first %.1f us, later %.1f us\n", twice_first, twice_later);
    printf("rounds %.0f\n", rounds);

    CHECK(cudaFree(x));
}
