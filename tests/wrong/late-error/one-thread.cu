// Launches one thread, which does all.
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

__global__ void twice(float *x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = 2 * x[i];
    }
}

__global__ void shift(float *x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = x[i] + 1;
    }
}

__global__ void negate(float *x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = -x[i];
    }
}

void three_steps(const float *in, float *out, int n) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemcpy(d_x, in, n * sizeof(float), cudaMemcpyHostToDevice));

    int threads = 256;
    int blocks = (n + threads - 1) / threads;

    twice<<<1, 1>>>(d_x, n);
    CHECK(cudaGetLastError());
    shift<<<1, 1>>>(d_x, n); //~ too-much-work: global_writes_per_thread
    CHECK(cudaGetLastError());
    negate<<<1, 1>>>(d_x, n);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(out, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
}

int main() {
    static float in[1500], out[1500];
    in[1499] = 10;
    three_steps(in, out, 1500);
    printf("%g %g\n", out[0], out[1499]);
}
