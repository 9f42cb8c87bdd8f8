// A volume read with linear filtering between slices, and layers, between which nothing is filtered.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

const int W = 8, H = 6, D = 4;

__global__ void slice(cudaTextureObject_t volume, float *out, float z) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex3D<float>(volume, (x + 0.5f) / W, (y + 0.5f) / H, z);
}

__global__ void each_layer(cudaTextureObject_t layers, cudaTextureObject_t rows, float *out) {
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    float row = tex1DLayered<float>(rows, x + 0.5f, layer);
    out[(layer * H + y) * W + x] = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, layer) + 1000.0f * row;
}

cudaArray_t filled(const float *values, cudaExtent extent, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    size_t rows = extent.height ? extent.height : 1;
    copy.srcPtr = make_cudaPitchedPtr((void *)values, extent.width * sizeof(float), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, extent.depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

cudaTextureObject_t texture_of(cudaArray_t array, bool linear) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    for (auto &mode : how.addressMode) mode = cudaAddressModeClamp;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = linear;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

int main() {
    std::vector<float> values(W * H * D), out(W * H * D);
    for (int i = 0; i < W * H * D; i++) values[i] = (float)(i * 7 % 64);
    float *d_out;
    CHECK(cudaMalloc(&d_out, W * H * D * sizeof(float)));

    cudaArray_t volume = filled(values.data(), make_cudaExtent(W, H, D), 0);
    cudaTextureObject_t texture = texture_of(volume, true);
    // A quarter from the centre of slice 1 to that of slice 2.
    slice<<<1, dim3(W, H)>>>(texture, d_out, 1.75f / D);
    CHECK(cudaMemcpy(out.data(), d_out, W * H * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float expected = 0.75f * values[W * H + i] + 0.25f * values[2 * W * H + i];
        wrong += fabsf(out[i] - expected) > 0.25f;
    }
    printf("volume: %d wrong\n", wrong);

    cudaArray_t layers = filled(values.data(), make_cudaExtent(W, H, D), cudaArrayLayered);
    cudaArray_t rows = filled(values.data(), make_cudaExtent(W, 0, D), cudaArrayLayered);
    cudaTextureObject_t of_layers = texture_of(layers, false), of_rows = texture_of(rows, false);
    each_layer<<<D, dim3(W, H)>>>(of_layers, of_rows, d_out);
    CHECK(cudaMemcpy(out.data(), d_out, W * H * D * sizeof(float), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int layer = 0; layer < D; layer++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int i = (layer * H + y) * W + x;
                wrong += out[i] != values[i] + 1000.0f * values[layer * W + x];
            }
    printf("layers: %d wrong\n", wrong);

    // A part of the volume comes back.
    std::vector<float> part(3 * 2 * 2);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = volume;
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(part.data(), 3 * sizeof(float), 3, 2);
    copy.extent = make_cudaExtent(3, 2, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    wrong = 0;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++)
                wrong += part[(z * 2 + y) * 3 + x] != values[((z + 1) * H + y + 1) * W + x + 2];
    printf("part: %d wrong\n", wrong);
    for (cudaTextureObject_t object : { texture, of_layers, of_rows }) CHECK(cudaDestroyTextureObject(object));
    for (cudaArray_t array : { volume, layers, rows }) CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_out));
    return 0;
}
