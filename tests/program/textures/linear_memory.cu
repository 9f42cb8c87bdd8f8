// Textures of memory from cudaMalloc(), by the number of a texel, and of rows with a pitch.
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

__global__ void reverse(cudaTextureObject_t in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(in, n - 1 - i);
}

__global__ void differences(cudaTextureObject_t pairs, cudaTextureObject_t bytes, float *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    int2 pair = tex1Dfetch<int2>(pairs, i);
    out[i] = pair.y - pair.x + tex1Dfetch<float>(bytes, i);
}

// The mean of the 3 by 3 pixels around each.
__global__ void box_filter(cudaTextureObject_t image, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += tex2D<unsigned char>(image, x + dx + 0.5f, y + dy + 0.5f);
    out[y * w + x] = sum / 9.0f;
}

cudaTextureObject_t linear(void *memory, size_t bytes, cudaChannelFormatDesc format, cudaTextureReadMode mode) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = memory;
    what.res.linear.desc = format;
    what.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how = {};
    how.readMode = mode;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

int main() {
    const int n = 1000, few = 16, w = 45, h = 30;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i * 0.5f;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, w * h * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cudaTextureObject_t floats = linear(d_in, n * sizeof(float), cudaCreateChannelDesc<float>(), cudaReadModeElementType);
    reverse<<<4, 256>>>(floats, d_out, n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += out[i] != in[n - 1 - i];
    printf("reversed: %d wrong\n", wrong);

    int2 pairs[few];
    unsigned char bytes[few];
    for (int i = 0; i < few; i++) {
        pairs[i] = make_int2(i, i * i);
        bytes[i] = (unsigned char)(17 * i);
    }
    int2 *d_pairs;
    unsigned char *d_bytes;
    CHECK(cudaMalloc(&d_pairs, sizeof pairs));
    CHECK(cudaMalloc(&d_bytes, sizeof bytes));
    CHECK(cudaMemcpy(d_pairs, pairs, sizeof pairs, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_bytes, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    cudaTextureObject_t of_pairs = linear(d_pairs, sizeof pairs, cudaCreateChannelDesc<int2>(), cudaReadModeElementType);
    cudaTextureObject_t of_bytes =
        linear(d_bytes, sizeof bytes, cudaCreateChannelDesc<unsigned char>(), cudaReadModeNormalizedFloat);
    differences<<<1, 32>>>(of_pairs, of_bytes, d_out, few);
    CHECK(cudaMemcpy(out.data(), d_out, few * sizeof(float), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < few; i++) wrong += fabsf(out[i] - (i * i - i + 17 * i / 255.0f)) > 1e-5f;
    printf("differences: %d wrong\n", wrong);

    std::vector<unsigned char> image(w * h);
    for (int i = 0; i < w * h; i++) image[i] = (unsigned char)(i * 31 % 251);
    unsigned char *d_image;
    size_t pitch;
    CHECK(cudaMallocPitch(&d_image, &pitch, w, h));
    CHECK(cudaMemcpy2D(d_image, pitch, image.data(), w, w, h, cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = d_image;
    what.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    what.res.pitch2D.width = w;
    what.res.pitch2D.height = h;
    what.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    box_filter<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(texture, d_out, w, h);
    std::vector<float> mean(w * h);
    CHECK(cudaMemcpy(mean.data(), d_out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    wrong = 0;
    auto clamped = [](int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) sum += image[clamped(y + dy, h) * w + clamped(x + dx, w)];
            wrong += fabsf(mean[y * w + x] - sum / 9.0f) > 1e-4f;
        }
    printf("filtered: %d wrong\n", wrong);
    CHECK(cudaDestroyTextureObject(floats));
    CHECK(cudaDestroyTextureObject(of_pairs));
    CHECK(cudaDestroyTextureObject(of_bytes));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_pairs));
    CHECK(cudaFree(d_bytes));
    CHECK(cudaFree(d_image));
    return 0;
}
