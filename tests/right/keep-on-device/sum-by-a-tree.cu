// The block's sum by a tree in shared memory; one allocation for array and total.
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

__global__ void sum(const float *x, float *total, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(total, s[0]);
    }
}

__global__ void subtract(float *x, const float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] - *total;
    }
}

void centre(const float *in, float *out, int n) {
    float *d_x, *d_total;
    CHECK(cudaMalloc(&d_x, (n + 1) * sizeof(float)));
    d_total = d_x + n;

    CHECK(cudaMemcpy(d_x, in, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_total, 0, sizeof(float)));

    double_it<<<blocks_for(n), THREADS>>>(d_x, n);
    CHECK(cudaGetLastError());
    sum<<<blocks_for(n), THREADS>>>(d_x, d_total, n);
    CHECK(cudaGetLastError());
    subtract<<<blocks_for(n), THREADS>>>(d_x, d_total, n);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(out, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    
}

int main() {
    float in[4] = {1, 2, 3, 4};
    float out[4];
    centre(in, out, 4);
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]); // -18 -16 -14 -12
}
