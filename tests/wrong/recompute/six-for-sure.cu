// Segments of six layers, however many layers there are.
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

// A layer: y from x. (Each number is multiplied by its right neighbour, the last by the first.)
__global__ void layer(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] - 0.25f * x[i] * x[(i + 1) % n];
    }
}

// The same layer backwards: from the gradient of its y to that of its x. Needs x.
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

// out[i] becomes the gradient of in[i]: by how much the sum of the last layer's
// output changes with it.
void gradient(const float *in, float *out, int n, int layers) {
    size_t bytes = n * sizeof(float);
    int blocks = (n + 255) / 256;

    // About as many segments as layers in a segment: that takes the least memory.
    int length = std::min(6, layers); //~ too-much-work: peak_device_bytes
    int segments = (layers + length - 1) / length;

    // kept[s] is the input of segment s, inner[k] that of its layer k + 1.
    std::vector<float *> kept(segments), inner(length - 1);
    for (float *&x : kept) {
        CHECK(cudaMalloc(&x, bytes));
    }
    for (float *&x : inner) {
        CHECK(cudaMalloc(&x, bytes));
    }
    float *dy, *dx; // gradients
    CHECK(cudaMalloc(&dy, bytes));
    CHECK(cudaMalloc(&dx, bytes));

    // Forwards: through the inner arrays from one checkpoint to the next.
    CHECK(cudaMemcpy(kept[0], in, bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s + 1 < segments; s++) {
        for (int k = 0; k < length; k++) {
            float *x = k == 0 ? kept[s] : inner[k - 1];
            layer<<<blocks, 256>>>(x, k + 1 < length ? inner[k] : kept[s + 1], n);
            CHECK(cudaGetLastError());
        }
    }

    // Backwards: the inputs of a segment's layers are computed once more.
    ones<<<blocks, 256>>>(dy, n);
    CHECK(cudaGetLastError());
    for (int s = segments - 1; s >= 0; s--) {
        int count = std::min(length, layers - s * length);
        for (int k = 0; k + 1 < count; k++) {
            layer<<<blocks, 256>>>(k == 0 ? kept[s] : inner[k - 1], inner[k], n);
            CHECK(cudaGetLastError());
        }
        for (int k = count - 1; k >= 0; k--) {
            layer_gradient<<<blocks, 256>>>(k == 0 ? kept[s] : inner[k - 1], dy, dx, n);
            CHECK(cudaGetLastError());
            std::swap(dy, dx);
        }
    }
    CHECK(cudaMemcpy(out, dy, bytes, cudaMemcpyDeviceToHost));

    for (float *x : kept) {
        CHECK(cudaFree(x));
    }
    for (float *x : inner) {
        CHECK(cudaFree(x));
    }
    CHECK(cudaFree(dy));
    CHECK(cudaFree(dx));
}

int main() {
    float in[3] = {0.1f, 0.5f, 1}, out[3];
    gradient(in, out, 3, 9);
    printf("%g %g %g\n", out[0], out[1], out[2]); // -0.728582 0.114147 0.722277
}
