// cpu-vs-gpu: from which size on is the GPU faster, copies included?
//
//     gpulearn run kernels/9-measuring/cpu-vs-gpu.cu -- 16 32768

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

// Advances a random number generator by `steps` steps.
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

// Microseconds that n elements take on the GPU, from host memory to host memory.
double gpu_us(int n) {
    // Write it here.
    return 0;
}

int main(int argc, char **argv) {
    steps = argc > 1 ? atoi(argv[1]) : 16;
    int large = argc > 2 ? atoi(argv[2]) : 32768;

    CHECK(cudaMallocHost(&in, large * sizeof(unsigned)));
    CHECK(cudaMallocHost(&out, large * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_in, large * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_out, large * sizeof(unsigned)));
    for (int i = 0; i < large; i++) {
        in[i] = i;
    }

    // Write it here: measure two sizes, small (large / 4) and large, on the CPU
    // and on the GPU. Work out what each of them takes for an element, and what
    // the GPU takes before the first.
    double cpu_large = cpu_us(large), gpu_large = gpu_us(large);
    double cpu_each = 0;  // microseconds
    double gpu_each = 0;  // microseconds
    double gpu_start = 0; // microseconds
    double crossover = 0; // elements

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
