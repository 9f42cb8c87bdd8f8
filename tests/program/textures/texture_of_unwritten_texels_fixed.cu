// All rows are written.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void read(cudaTextureObject_t image, float *out) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * blockDim.x + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}

const int W = 8, H = 4;

cudaResourceDesc image_of(cudaChannelFormatDesc format) {
    cudaResourceDesc made = {};
    made.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&made.res.array.array, &format, W, H, cudaArraySurfaceLoadStore));
    return made;
}

cudaTextureObject_t texture_of(const cudaResourceDesc &what) {
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<float>());
    float pixels[H][W] = {};
    cudaArray_t array = image.res.array.array;
    size_t row = sizeof pixels[0];
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, row, row, H, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(image);
    float *d_out;
    CHECK(cudaMalloc(&d_out, W * H * sizeof(float)));
    read<<<1, dim3(W, H)>>>(texture, d_out);
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeArray(image.res.array.array));
    return 0;
}
