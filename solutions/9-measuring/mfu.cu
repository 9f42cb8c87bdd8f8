// mfu: what share of what the card can do does a program use?

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// y (B, K) = x (B, D) * w (D, K): a thread for each element of y.
__global__ void linear(const float *x, const float *w, float *y, int B, int D, int K) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (b < B && k < K) {
        float sum = 0;
        for (int d = 0; d < D; d++) {
            sum += x[b * D + d] * w[d * K + k];
        }
        y[b * K + k] = sum;
    }
}

struct Layer {
    int B, D, K;
    float *x, *w, *y; // device memory
};

void launch(const Layer &layer) {
    dim3 threads(32, 8), blocks((layer.K + 31) / 32, (layer.B + 7) / 8);
    linear<<<blocks, threads>>>(layer.x, layer.w, layer.y, layer.B, layer.D, layer.K);
    CHECK(cudaGetLastError());
}

// Floating-point operations of the layer; a multiply-add is two.
double operations(const Layer &layer) {
    // In double: the product of three sizes soon leaves the range of int.
    return 2.0 * layer.B * layer.D * layer.K;
}

// Operations in a second that such a GPU can do in single precision.
double peak(int multiprocessors, int khz, int major, int minor) {
    // Multiply-adds that a multiprocessor starts in a cycle: 64 on 7.0, 7.5 and
    // 8.0, and 128 on later ones.
    int units = 10 * major + minor <= 80 ? 64 : 128;
    return 2.0 * units * multiprocessors * (1000.0 * khz);
}

// Model FLOPs utilisation: the share of the peak that was used.
double mfu(double operations, double seconds, double peak) {
    return operations / seconds / peak;
}

// Seconds that the layer takes on the GPU, measured with events.
double seconds(const Layer &layer) {
    // Loads the kernel and fills the caches; it does not count.
    launch(layer);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    launch(layer);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms / 1000;
}

int main(int argc, char **argv) {
    Layer layer = {};
    layer.B = argc > 1 ? atoi(argv[1]) : 8;
    layer.D = argc > 2 ? atoi(argv[2]) : 4000;
    layer.K = argc > 3 ? atoi(argv[3]) : 16;
    unsigned seed = argc > 4 ? atoi(argv[4]) : 1;
    size_t x_bytes = layer.B * layer.D * sizeof(float);
    size_t w_bytes = layer.D * layer.K * sizeof(float);
    CHECK(cudaMalloc(&layer.x, x_bytes));
    CHECK(cudaMalloc(&layer.w, w_bytes));
    CHECK(cudaMalloc(&layer.y, layer.B * layer.K * sizeof(float)));
    CHECK(cudaMemset(layer.x, 0, x_bytes));
    CHECK(cudaMemset(layer.w, 0, w_bytes));

    int multiprocessors, khz, major, minor;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    double here = peak(multiprocessors, khz, major, minor);
    double time = seconds(layer);
    double flop = operations(layer);
    printf("here      %.1f us, %.4f TFLOP/s of %.2f: MFU %.3f %%\n", 1e6 * time,
           flop / time / 1e12, here / 1e12, 100 * mfu(flop, time, here));

    // What the notebook measured on a T4, in f32 and in bf16.
    Layer large = {16384, 32768, 8192};
    double t4 = peak(40, 1590000, 7, 5);
    printf("T4 f32    MFU %.2f %%\n", 100 * mfu(operations(large), 1.73, t4));
    printf("T4 bf16   MFU %.2f %%\n", 100 * mfu(operations(large), 3.87, t4));

    // peak() should also be right for GPUs that are not in this machine.
    for (int its : {70, 75, 80, 86, 89, 90}) {
        printf("%d.%d       %.2f TFLOP/s\n", its / 10, its % 10,
               peak(10 + seed % 150, 1000000 + seed, its / 10, its % 10) / 1e12);
    }

    CHECK(cudaFree(layer.x));
    CHECK(cudaFree(layer.w));
    CHECK(cudaFree(layer.y));
}
