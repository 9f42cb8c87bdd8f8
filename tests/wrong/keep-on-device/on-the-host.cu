// Computes on the host; nothing is copied, and nothing is launched.
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

const int THREADS = 256;

int blocks_for(int n) {
    return (n + THREADS - 1) / THREADS;
}

__global__ void double_it(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 2 * x[i];
    }
}

// Adds x[0] … x[n - 1] to *total.
__global__ void sum(const float *x, float *total, int n) {
    __shared__ float block_total;
    if (threadIdx.x == 0) {
        block_total = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&block_total, x[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(total, block_total);
    }
}

__global__ void subtract(float *x, const float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] - *total;
    }
}

// x[i] = 2 * x[i]
void double_step(float *x, int n) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
    double_it<<<blocks_for(n), THREADS>>>(d_x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
}

// x[0] + … + x[n - 1]
float sum_step(const float *x, int n) {
    float *d_x, *d_total;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_total, sizeof(float)));
    CHECK(cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_total, 0, sizeof(float)));
    sum<<<blocks_for(n), THREADS>>>(d_x, d_total, n);
    CHECK(cudaGetLastError());
    float total;
    CHECK(cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_total));
    return total;
}

// x[i] = x[i] - total
void subtract_step(float *x, float total, int n) {
    float *d_x, *d_total;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_total, sizeof(float)));
    CHECK(cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_total, &total, sizeof(float), cudaMemcpyHostToDevice));
    subtract<<<blocks_for(n), THREADS>>>(d_x, d_total, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_total));
}

void centre(const float *in, float *out, int n) {
    double t = 0; //~ too-much-work: host_instructions
    for (int i = 0; i < n; i++) {
        t += 2 * in[i];
    }
    for (int i = 0; i < n; i++) {
        out[i] = 2 * in[i] - t;
    }
}

int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    centre(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // -18 -16 -14 -12
}
