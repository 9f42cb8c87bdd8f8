// Reads the clock when the launch has returned.

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

// Takes a random generator so many steps on.
__host__ __device__ unsigned advance(unsigned state, int steps) {
    for (int i = 0; i < steps; i++) {
        state = state * 1664525 + 1013904223;
    }
    return state;
}

void advance_on_cpu(const unsigned *in, unsigned *out, int n, int steps) {
    for (int i = 0; i < n; i++) {
        out[i] = advance(in[i], steps);
    }
}

__global__ void advance_all(const unsigned *in, unsigned *out, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = advance(in[i], steps);
    }
}

unsigned *in, *out;     // pinned host memory
unsigned *d_in, *d_out; // device memory
int steps;

// Microseconds that n elements take on the CPU.
double cpu_us(int n) {
    double start = now_us();
    advance_on_cpu(in, out, n, steps);
    return now_us() - start;
}

// Microseconds that they take on the GPU, from host memory to host memory.
double gpu_us(int n) {
    size_t bytes = n * sizeof(unsigned);
    double start = now_us();
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    advance_all<<<(n + 255) / 256, 256>>>(d_in, d_out, n, steps);
    CHECK(cudaGetLastError());
    double time = now_us() - start; //~ wrong-output
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    return time;
}

int main(int argc, char **argv) {
    steps = argc > 1 ? atoi(argv[1]) : 16;
    int large = argc > 2 ? atoi(argv[2]) : 32768;
    int small = large / 4;

    CHECK(cudaMallocHost(&in, large * sizeof(unsigned)));
    CHECK(cudaMallocHost(&out, large * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_in, large * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_out, large * sizeof(unsigned)));
    for (int i = 0; i < large; i++) {
        in[i] = i;
    }

    // Loads the kernel; it does not count.
    gpu_us(small);

    // Two sizes for each: what does not grow with the size, and what does.
    double cpu_small = cpu_us(small), cpu_large = cpu_us(large);
    double gpu_small = gpu_us(small), gpu_large = gpu_us(large);

    double cpu_each = (cpu_large - cpu_small) / (large - small);
    double gpu_each = (gpu_large - gpu_small) / (large - small);
    double gpu_start = gpu_small - small * gpu_each;
    // Where both lines meet: n * cpu_each = gpu_start + n * gpu_each.
    double crossover = gpu_start / (cpu_each - gpu_each);

    printf("cpu       %.2f ns each\n", 1000 * cpu_each);
    printf("gpu       %.2f ns each, %.1f us to start\n", 1000 * gpu_each, gpu_start);
    printf("crossover %.0f elements\n", crossover);
    printf("speedup   %.1f at %d elements\n", cpu_large / gpu_large, large);
    printf("last %u\n", out[large - 1]);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
}
