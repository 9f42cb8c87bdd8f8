// Keeps the picture in constant memory, and does the rest by hand.
#include <cmath>
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

// Returns the pixel in column i of row j; 0 outside the picture.
__constant__ float kept[16384];

__device__ float at(int j, int i, int height, int width) {
    bool inside = 0 <= j && j < height && 0 <= i && i < width;
    return inside ? kept[j * width + i] : 0;
}

// This kernel is right, but does by hand what a texture does for you.
__global__ void turn(float *out, int height, int width, float cosine,
                     float sine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    // The centre of this pixel, seen from the centre of the picture.
    float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
    // Where it comes from.
    float from_x = cosine * u + sine * v + 0.5f * width;
    float from_y = cosine * v - sine * u + 0.5f * height;

    // The four pixels around it, and how near it is to each.
    int i = floorf(from_x - 0.5f), j = floorf(from_y - 0.5f);
    float a = from_x - 0.5f - i, b = from_y - 0.5f - j;
    float p = at(j, i, height, width), q = at(j, i + 1, height, width);
    float r = at(j + 1, i, height, width), s = at(j + 1, i + 1, height, width);
    out[y * width + x] = (1 - b) * ((1 - a) * p + a * q) + b * ((1 - a) * r + a * s);
}

// When it returns, `out` is complete.
void rotate(const float *in, float *out, int height, int width, int degrees) {
    CHECK(cudaMemcpyToSymbol(kept, in, height * width * sizeof(float), 0, //~ copy-past-end
                             cudaMemcpyDeviceToDevice));
    float angle = degrees * 3.14159265f / 180;
    dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
    turn<<<grid, block>>>(out, height, width, cosf(angle), sinf(angle));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main() {
    // An L, turned by 90 degrees.
    const int n = 4;
    const float host_in[n * n] = {0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 9, 0};
    float *in, *out, host_out[n * n];
    CHECK(cudaMalloc(&in, sizeof(host_in)));
    CHECK(cudaMalloc(&out, sizeof(host_out)));
    CHECK(cudaMemcpy(in, host_in, sizeof(host_in), cudaMemcpyHostToDevice));
    rotate(in, out, n, n, 90);
    CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            printf("%3.0f%c", fabsf(host_out[y * n + x]), x < n - 1 ? ' ' : '\n');
        }
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
