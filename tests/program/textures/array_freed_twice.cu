// An array is freed twice.
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
    CHECK(cudaMallocArray(&made.res.array.array, &format, W, H, cudaArraySurfaceLoadStore));
    return made;
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<float>());
    cudaArray_t array = image.res.array.array;
    CHECK(cudaFreeArray(array));
    printf("%s\n", cudaGetErrorName(cudaFreeArray(array))); //~ A006
    return 0;
}
