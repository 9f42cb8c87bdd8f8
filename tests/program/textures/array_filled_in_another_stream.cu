// A copy to an array in one stream, and a kernel in another that reads its texture.
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
    cudaArray_t array = image.res.array.array;
    cudaTextureObject_t texture = texture_of(image);
    cudaStream_t copies, kernels;
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaStreamCreate(&kernels));
    cudaEvent_t copied;
    CHECK(cudaEventCreate(&copied));
    float *pixels, *d_out;
    size_t row = W * sizeof(float);
    CHECK(cudaMallocHost(&pixels, H * row));
    for (int i = 0; i < W * H; i++) pixels[i] = (float)i;
    CHECK(cudaMalloc(&d_out, H * row));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, row, row, H, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, pixels, row, row, H, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(copied, copies));
    read<<<1, dim3(W, H), 0, kernels>>>(texture, d_out); //~ O003
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaStreamDestroy(kernels));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeHost(pixels));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeArray(image.res.array.array));
    return 0;
}
