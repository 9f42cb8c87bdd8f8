// One block for the whole picture.
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

// The texture has the picture, and the rules by which it is read.
__global__ void turn(cudaTextureObject_t picture, float *out, int height, int width, float cosine, //~ too-much-work: global_writes_per_thread
                     float sine) {
    for (int p = threadIdx.x; p < width * height; p += 256) {
    int x = p % width, y = p / width;
    // The centre of this pixel, seen from the centre of the picture.
    float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
    // Where it comes from. The centre of a texel is at a half, here and there, so
    // nothing is to be subtracted.
    float from_x = cosine * u + sine * v + 0.5f * width;
    float from_y = cosine * v - sine * u + 0.5f * height;
    // Four texels, their weights and the edges: all that is left to the texture unit.
    out[y * width + x] = tex2D<float>(picture, from_x, from_y);
    }
}

// When it returns, `out` is complete.
void rotate(const float *in, float *out, int height, int width, int degrees) {
    // The array holds the texels, in an order of its own. Its width is in texels, the
    // width of a copy in bytes.
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height));
    size_t row = width * sizeof(float);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice));

    cudaResourceDesc what = {}; // what is read
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {}; // and how
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder; // 0 outside
    cudaTextureObject_t picture;
    CHECK(cudaCreateTextureObject(&picture, &what, &how, nullptr));

    float angle = degrees * 3.14159265f / 180;
    dim3 block(256), grid(1);
    turn<<<grid, block>>>(picture, out, height, width, cosf(angle), sinf(angle));
    CHECK(cudaGetLastError());
    // A texture is a name for memory, released when no kernel uses it any more.
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(picture));
    CHECK(cudaFreeArray(array));
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
