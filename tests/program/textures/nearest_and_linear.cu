// A 2D array read by its nearest texel and with linear filtering, at coordinates in texels.
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

const int W = 7, H = 5, N = 600;

__global__ void sample(cudaTextureObject_t image, const float2 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(image, at[i].x, at[i].y);
}

float texel(const float *image, int x, int y, bool border) {
    if (border && (x < 0 || y < 0 || x >= W || y >= H)) return 0.0f;
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return image[y * W + x];
}

float nearest(const float *image, float2 at, bool border) {
    return texel(image, (int)floorf(at.x), (int)floorf(at.y), border);
}

float interpolated(const float *image, float2 at, bool border) {
    float x = at.x - 0.5f, y = at.y - 0.5f;
    int i = (int)floorf(x), j = (int)floorf(y);
    float a = roundf((x - i) * 256) / 256, b = roundf((y - j) * 256) / 256;
    return (1 - a) * (1 - b) * texel(image, i, j, border) + a * (1 - b) * texel(image, i + 1, j, border) +
           (1 - a) * b * texel(image, i, j + 1, border) + a * b * texel(image, i + 1, j + 1, border);
}

int main() {
    std::vector<float> image(W * H);
    for (int i = 0; i < W * H; i++) image[i] = (float)((i * 37) % 101);
    std::vector<float2> at(N);
    srand(1);
    // Not on the border of two texels.
    for (auto &place : at)
        place = make_float2((rand() % 180 - 40) / 16.0f + 0.03125f, (rand() % 150 - 40) / 16.0f + 0.03125f);

    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    float2 *d_at;
    float *d_out;
    CHECK(cudaMalloc(&d_at, N * sizeof(float2)));
    CHECK(cudaMalloc(&d_out, N * sizeof(float)));
    CHECK(cudaMemcpy(d_at, at.data(), N * sizeof(float2), cudaMemcpyHostToDevice));

    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    for (int linear = 0; linear < 2; linear++)
        for (int border = 0; border < 2; border++) {
            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = border ? cudaAddressModeBorder : cudaAddressModeClamp;
            how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
            how.readMode = cudaReadModeElementType;
            cudaTextureObject_t texture = 0;
            CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
            sample<<<(N + 255) / 256, 256>>>(texture, d_at, d_out, N);
            CHECK(cudaGetLastError());
            std::vector<float> out(N);
            CHECK(cudaMemcpy(out.data(), d_out, N * sizeof(float), cudaMemcpyDeviceToHost));
            int wrong = 0;
            for (int i = 0; i < N; i++) {
                float expected = linear ? interpolated(image.data(), at[i], border) : nearest(image.data(), at[i], border);
                // GPUs round the weighted sum a little differently.
                wrong += fabsf(out[i] - expected) > (linear ? 0.5f : 0.0f);
            }
            printf("%s, %s: %d wrong\n", linear ? "linear" : "nearest", border ? "border" : "clamp", wrong);
            CHECK(cudaDestroyTextureObject(texture));
        }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_at));
    CHECK(cudaFree(d_out));
    return 0;
}
