// Neither the array nor its texture is freed.
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

const int W = 8, H = 4;

cudaResourceDesc image_of(cudaChannelFormatDesc format) {
    cudaResourceDesc made = {};
    made.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&made.res.array.array, &format, W, H, cudaArraySurfaceLoadStore)); //~ A009
    return made;
}

cudaTextureObject_t texture_of(const cudaResourceDesc &what) {
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr)); //~ A009
    return texture;
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<float>());
    cudaTextureObject_t texture = texture_of(image);
    printf("%d\n", texture != 0);
    return 0;
}
