// out-of-memory: compute x * x + x for n numbers, on a GPU that is nearly full.
//
// If there is no memory for all of them at once, it gives up.

#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                   \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));    \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void square(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] * x[i];
    }
}

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = x[i] + y[i];
    }
}

// Stands for the other programs on this GPU: they leave `room` bytes. (It is done
// with the heap from which kernels allocate.) Leave it as it is.
__global__ void use_heap() {
    free(malloc(1));
}

void others_leave(long long room) {
    size_t unused, total;
    CHECK(cudaMemGetInfo(&unused, &total));
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, unused - room));
    use_heap<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// out[i] = in[i] * in[i] + in[i] for n numbers in host memory.
void process(const float *in, float *out, int n) {
    int batch = n; // numbers that are done at a time

    // Write it so that it goes on with smaller batches.
    float *d_x, *d_y, *d_z;
    CHECK(cudaMalloc(&d_x, batch * sizeof(float)));
    CHECK(cudaMalloc(&d_y, batch * sizeof(float)));
    CHECK(cudaMalloc(&d_z, batch * sizeof(float)));

    for (int first = 0; first < n; first += batch) {
        int count = n - first < batch ? n - first : batch;
        int blocks = (count + 255) / 256;
        CHECK(cudaMemcpy(d_x, in + first, count * sizeof(float), cudaMemcpyHostToDevice));
        square<<<blocks, 256>>>(d_x, d_y, count);
        CHECK(cudaGetLastError());
        add<<<blocks, 256>>>(d_x, d_y, d_z, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out + first, d_z, count * sizeof(float), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_z));
}

int main() {
    const int N = 1000;
    float in[N], out[N];
    for (int i = 0; i < N; i++) {
        in[i] = i;
    }
    others_leave(5000);
    process(in, out, N);
    printf("%g %g\n", out[3], out[999]); // 12 999000
}
