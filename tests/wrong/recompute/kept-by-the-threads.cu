// Does everything in one launch: each thread keeps the inputs of all layers in an array of its own.

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

const int MOST = 169; // layers

// All layers, forwards and backwards, by one block: what each thread keeps is in its own array.
__global__ void all_layers(const float *in, float *out, int n, int layers) {
    __shared__ float row[1024], product[1024];
    float kept[MOST];
    int i = threadIdx.x;
    bool inside = i < n;
    float x = inside ? in[i] : 0;
    for (int l = 0; l < layers; l++) {
        kept[l] = x;
        row[i] = x;
        __syncthreads();
        if (l + 1 < layers && inside) {
            x = x - 0.25f * x * row[(i + 1) % n];
        }
        __syncthreads();
    }
    float dy = 1;
    for (int l = layers - 1; l >= 0; l--) {
        row[i] = kept[l];
        if (inside) {
            product[i] = dy * kept[l];
        }
        __syncthreads();
        if (inside) {
            dy = dy * (1 - 0.25f * row[(i + 1) % n]) - 0.25f * product[(i + n - 1) % n];
        }
        __syncthreads();
    }
    if (inside) {
        out[i] = dy;
    }
}

void gradient(const float *in, float *out, int n, int layers) { //~ too-much-work: load_sectors
    int root = 1;
    while (root * root < layers) {
        root++;
    }
    float *d;
    CHECK(cudaMalloc(&d, (root + 2) * n * sizeof(float)));
    CHECK(cudaMemcpy(d, in, n * sizeof(float), cudaMemcpyHostToDevice));
    all_layers<<<1, 1024>>>(d, d + n, n, layers);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d + n, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
}

int main() {
    float in[3] = {0.1f, 0.5f, 1}, out[3];
    gradient(in, out, 3, 9);
    printf("%g %g %g\n", out[0], out[1], out[2]); // -0.728582 0.114147 0.722277
}
