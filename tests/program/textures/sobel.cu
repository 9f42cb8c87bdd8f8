// Edges of a picture: a texture is read, and a surface is written.
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

const int W = 64, H = 48;

__global__ void sobel(cudaTextureObject_t in, cudaSurfaceObject_t out, float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int p[3][3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) p[j][i] = tex2D<unsigned char>(in, x + i - 0.5f, y + j - 0.5f);
    int across = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    int down = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    float edge = scale * (abs(across) + abs(down));
    surf2Dwrite((unsigned char)min(edge, 255.0f), out, x, y);
}

int main() {
    std::vector<unsigned char> image(W * H), edges(W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            image[y * W + x] = (x - 30) * (x - 30) + (y - 20) * (y - 20) < 200 ? 220 : (x * 3 + y * 5) % 90;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t in, out;
    CHECK(cudaMallocArray(&in, &format, W, H));
    CHECK(cudaMallocArray(&out, &format, W, H, cudaArraySurfaceLoadStore));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy2DToArrayAsync(in, 0, 0, image.data(), W, W, H, cudaMemcpyHostToDevice, stream));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = in;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    what.res.array.array = out;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &what));
    sobel<<<dim3(W / 16, H / 16), dim3(16, 16), 0, stream>>>(texture, surface, 0.5f);
    CHECK(cudaMemcpy2DFromArrayAsync(edges.data(), W, out, 0, 0, W, H, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    int wrong = 0, bright = 0;
    auto at = [&](int x, int y) {
        x = x < 0 ? 0 : x >= W ? W - 1 : x;
        y = y < 0 ? 0 : y >= H ? H - 1 : y;
        return (int)image[y * W + x];
    };
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int across = 0, down = 0;
            for (int k = -1; k <= 1; k++) {
                int weight = k == 0 ? 2 : 1;
                across += weight * (at(x + 1, y + k) - at(x - 1, y + k));
                down += weight * (at(x + k, y + 1) - at(x + k, y - 1));
            }
            float edge = 0.5f * (abs(across) + abs(down));
            int expected = edge > 255.0f ? 255 : (int)edge;
            wrong += edges[y * W + x] != expected;
            bright += expected == 255;
        }
    printf("%d bright pixels, %d wrong\n", bright, wrong);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(in));
    CHECK(cudaFreeArray(out));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
