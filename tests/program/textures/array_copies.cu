// Copies from and to arrays, what an array says of itself, and calls that are refused.
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

void show(const char *call, cudaError_t error) {
    printf("%s: %s\n", call, cudaGetErrorName(error));
    cudaGetLastError();
}

int main() {
    const int w = 6, h = 4;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    cudaArray_t a, b;
    CHECK(cudaMallocArray(&a, &format, w, h));
    CHECK(cudaMallocArray(&b, &format, w, h));
    short2 in[h][w], out[h][w] = {};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) in[y][x] = make_short2(x, y);
    CHECK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, sizeof in[0], h));
    // The middle of row 1 up to the middle of row 2.
    short2 some[w];
    CHECK(cudaMemcpyFromArray(some, b, 3 * sizeof(short2), 1, sizeof some, cudaMemcpyDeviceToHost));
    for (short2 v : some) printf(" %d,%d", v.x, v.y);
    printf("\n");
    CHECK(cudaMemcpy2DFromArray(out, sizeof out[0], b, sizeof(short2), 1, 4 * sizeof(short2), 2, cudaMemcpyDeviceToHost));
    for (int x = 0; x < 4; x++) printf(" %d,%d", out[1][x].x, out[1][x].y);
    printf("\n");

    cudaChannelFormatDesc its;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&its, &extent, &flags, a));
    printf("%d %d %d %d, kind %d, %zu by %zu by %zu, flags %u\n", its.x, its.y, its.z, its.w, its.f, extent.width,
           extent.height, extent.depth, flags);
    CHECK(cudaGetChannelDesc(&its, b));
    printf("%d bits\n", its.x + its.y);

    show("too wide", cudaMemcpy2DToArray(a, 4, 0, in, sizeof in[0], sizeof in[0], h, cudaMemcpyHostToDevice));
    show("too high", cudaMemcpy2DToArray(a, 0, 1, in, sizeof in[0], sizeof in[0], h, cudaMemcpyHostToDevice));
    cudaArray_t none;
    cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    show("three channels", cudaMallocArray(&none, &three, w, h));
    show("no width", cudaMallocArray(&none, &format, 0, h));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = a;
    cudaSurfaceObject_t surface;
    show("not for surfaces", cudaCreateSurfaceObject(&surface, &what));
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    cudaResourceDesc back;
    cudaTextureDesc manner;
    CHECK(cudaGetTextureObjectResourceDesc(&back, texture));
    CHECK(cudaGetTextureObjectTextureDesc(&manner, texture));
    printf("%d %d\n", back.res.array.array == a, manner.filterMode);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
    CHECK(cudaFreeArray(nullptr));
    return 0;
}
