// The column in bytes.
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

__global__ void fill(cudaSurfaceObject_t out) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(10 * y + x, out, x * sizeof(int), y);
}

const int W = 8, H = 4;

cudaResourceDesc image_of(cudaChannelFormatDesc format) {
    cudaResourceDesc made = {};
    made.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&made.res.array.array, &format, W, H, cudaArraySurfaceLoadStore));
    return made;
}

cudaSurfaceObject_t surface_of(const cudaResourceDesc &what) {
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &what));
    return surface;
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<int>());
    cudaSurfaceObject_t surface = surface_of(image);
    fill<<<1, dim3(W, H)>>>(surface);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image.res.array.array);
    return 0;
}
