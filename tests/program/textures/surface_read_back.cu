// A surface is read in the kernel that writes it.
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

__global__ void smooth(cudaSurfaceObject_t in, cudaSurfaceObject_t out) {
    int x = threadIdx.x * (int)sizeof(float), y = threadIdx.y;
    float here = surf2Dread<float>(in, x, y);
    surf2Dwrite(here + 1.0f, out, x, y);
    __syncthreads();
    float next = surf2Dread<float>(out, x, y); //~ R007
    surf2Dwrite(here + next, out, x, y);
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

void fill(const cudaResourceDesc &image) {
    float pixels[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) pixels[y][x] = (float)(10 * y + x);
    cudaArray_t array = image.res.array.array;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof pixels[0], sizeof pixels[0], H, cudaMemcpyHostToDevice));
}

int main() {
    cudaResourceDesc image = image_of(cudaCreateChannelDesc<float>()), other = image_of(cudaCreateChannelDesc<float>());
    fill(image);
    cudaSurfaceObject_t in = surface_of(image), out = surface_of(other);
    smooth<<<1, dim3(W, H)>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    CHECK(cudaDestroySurfaceObject(in));
    CHECK(cudaDestroySurfaceObject(out));
    CHECK(cudaFreeArray(other.res.array.array));
    CHECK(cudaFreeArray(image.res.array.array));
    return 0;
}
