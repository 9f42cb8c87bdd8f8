// Only the component that there is.
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

__global__ void read(cudaTextureObject_t image, int *out) {
    int x = threadIdx.x, y = threadIdx.y;
    float2 texel = tex2D<float2>(image, x + 0.5f, y + 0.5f);
    out[y * blockDim.x + x] = (int)texel.x;
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

void fill(const cudaResourceDesc &image) {
    float pixels[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) pixels[y][x] = (float)(10 * y + x);
    cudaArray_t array = image.res.array.array;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof pixels[0], sizeof pixels[0], H, cudaMemcpyHostToDevice));
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<float>());
    fill(image);
    cudaTextureObject_t texture = texture_of(image);
    int *d_out;
    CHECK(cudaMalloc(&d_out, W * H * sizeof(int)));
    read<<<1, dim3(W, H)>>>(texture, d_out);
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(d_out));
    CHECK(cudaFreeArray(image.res.array.array));
    return 0;
}
