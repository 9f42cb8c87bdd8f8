// A picture rotated about its centre: coordinates from 0 to 1, which wrap around, and linear filtering.
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

const int W = 32, H = 32;

__global__ void rotate(cudaTextureObject_t image, float *out, float cosine, float sine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / W - 0.5f, v = (y + 0.5f) / H - 0.5f;
    out[y * W + x] = tex2D<float>(image, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
}

int main() {
    std::vector<float> image(W * H), out(W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) image[y * W + x] = sinf(x * 6.2831853f / W) + cosf(y * 6.2831853f / H);
    cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *array;
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpyToArray(array, 0, 0, image.data(), W * H * sizeof(float), cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    how.normalizedCoords = true;
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, NULL));
    float *d_out, cosine = cosf(0.5f), sine = sinf(0.5f);
    CHECK(cudaMalloc(&d_out, W * H * sizeof(float)));
    rotate<<<dim3(W / 8, H / 8), dim3(8, 8)>>>(texture, d_out, cosine, sine);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, W * H * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float u = (x + 0.5f) / W - 0.5f, v = (y + 0.5f) / H - 0.5f;
            float s = (u * cosine - v * sine + 0.5f) * W - 0.5f, t = (v * cosine + u * sine + 0.5f) * H - 0.5f;
            int i = (int)floorf(s), j = (int)floorf(t);
            float a = s - i, b = t - j;
            auto at = [&](int i, int j) { return image[(j % H + H) % H * W + (i % W + W) % W]; };
            float expected = (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
                             a * b * at(i + 1, j + 1);
            wrong += fabsf(out[y * W + x] - expected) > 0.01f;
        }
    printf("%d wrong\n", wrong);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_out));
    return 0;
}
