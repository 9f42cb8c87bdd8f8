// Surfaces are written and read by bytes of a row; what is outside is clamped, zero, or an error.
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

const int W = 20, H = 12;

__global__ void gradient(cudaSurfaceObject_t out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) surf2Dwrite((float)(x + 100 * y), out, x * sizeof(float), y);
}

// Moves the picture to the right and down by one; what was outside is zero, or the nearest pixel.
__global__ void move(cudaSurfaceObject_t in, cudaSurfaceObject_t zeros, cudaSurfaceObject_t edges) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int from = (x - 1) * (int)sizeof(float);
    float inside = surf2Dread<float>(in, from, y - 1, cudaBoundaryModeZero);
    float nearest = surf2Dread<float>(in, from, y - 1, cudaBoundaryModeClamp);
    // Threads outside of the picture write nothing.
    surf2Dwrite(inside, zeros, x * sizeof(float), y, cudaBoundaryModeZero);
    if (x < W && y < H) surf2Dwrite(nearest, edges, x * sizeof(float), y);
}

__global__ void colours(cudaSurfaceObject_t row, cudaSurfaceObject_t box) {
    int x = threadIdx.x;
    surf1Dwrite(make_uchar4(x, 2 * x, 3 * x, 4 * x), row, x * sizeof(uchar4));
    for (int z = 0; z < 2; z++) surf3Dwrite((short)(10 * z + x), box, x * sizeof(short), 1, z);
}

__global__ void sums(cudaSurfaceObject_t row, cudaSurfaceObject_t box, int *out) {
    int x = threadIdx.x;
    uchar4 colour;
    surf1Dread(&colour, row, x * sizeof(uchar4));
    out[x] = colour.x + colour.y + colour.z + colour.w + surf3Dread<short>(box, x * sizeof(short), 1, 1);
}

__global__ void layers(cudaSurfaceObject_t pages, int *out) {
    int x = threadIdx.x, page = blockIdx.x;
    if (out == nullptr)
        for (int y = 0; y < 2; y++) surf2DLayeredwrite((long long)(100 * page + 10 * y + x), pages, 8 * x, y, page);
    else
        out[page * 4 + x] = (int)surf2DLayeredread<long long>(pages, 8 * x, 1, page);
}

cudaArray_t array_of(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags = cudaArraySurfaceLoadStore) {
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    return array;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &what));
    return surface;
}

int wrong(cudaArray_t array, bool zero) {
    std::vector<float> got(W * H);
    CHECK(cudaMemcpy2DFromArray(got.data(), W * sizeof(float), array, 0, 0, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float nearest = (x > 0 ? x - 1 : 0) + 100.0f * (y > 0 ? y - 1 : 0);
            wrong += got[y * W + x] != (zero && (x == 0 || y == 0) ? 0 : nearest);
        }
    return wrong;
}

int main() {
    cudaArray_t arrays[6];
    for (int i = 0; i < 3; i++) arrays[i] = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(W, H, 0));
    arrays[3] = array_of(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(W, 0, 0));
    arrays[4] = array_of(cudaCreateChannelDesc<short>(), make_cudaExtent(W, 2, 2));
    cudaSurfaceObject_t surfaces[6];
    arrays[5] = array_of(cudaCreateChannelDesc<int2>(), make_cudaExtent(4, 2, 3), cudaArraySurfaceLoadStore | cudaArrayLayered);
    for (int i = 0; i < 6; i++) surfaces[i] = surface_of(arrays[i]);
    dim3 blocks(2, 1), threads(16, 16);
    gradient<<<blocks, threads>>>(surfaces[0]);
    move<<<blocks, threads>>>(surfaces[0], surfaces[1], surfaces[2]);
    printf("zeros: %d wrong\n", wrong(arrays[1], true));
    printf("edges: %d wrong\n", wrong(arrays[2], false));
    int *d_out, out[W];
    CHECK(cudaMalloc(&d_out, sizeof out));
    colours<<<1, W>>>(surfaces[3], surfaces[4]);
    sums<<<1, W>>>(surfaces[3], surfaces[4], d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int x = 0; x < W; x++) bad += out[x] != 10 * x + 10 + x;
    printf("sums: %d wrong\n", bad);
    layers<<<3, 4>>>(surfaces[5], nullptr);
    layers<<<3, 4>>>(surfaces[5], d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int i = 0; i < 12; i++) bad += out[i] != 100 * (i / 4) + 10 + i % 4;
    printf("layers: %d wrong\n", bad);
    for (cudaSurfaceObject_t surface : surfaces) CHECK(cudaDestroySurfaceObject(surface));
    for (cudaArray_t array : arrays) CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_out));
    return 0;
}
