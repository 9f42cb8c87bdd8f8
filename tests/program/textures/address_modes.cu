// What coordinates from 0 to 1, and others, mean in each address mode.
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

__global__ void sample(cudaTextureObject_t row, const float *at, int *out) {
    out[threadIdx.x] = tex1D<int>(row, at[threadIdx.x]);
}

int main() {
    const int w = 4, n = 10;
    int texels[w] = { 10, 11, 12, 13 };
    float at[n] = { -1.125f, -0.625f, -0.125f, 0.125f, 0.375f, 0.875f, 1.125f, 1.625f, 2.125f, 2.875f };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, w));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
    float *d_at;
    int *d_out, out[n];
    CHECK(cudaMalloc(&d_at, sizeof at));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    const char *names[] = { "wrap", "clamp", "mirror", "border" };
    for (int mode = 0; mode < 4; mode++) {
        cudaTextureDesc how = {};
        how.addressMode[0] = (cudaTextureAddressMode)mode;
        how.normalizedCoords = 1;
        cudaTextureObject_t texture;
        CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
        sample<<<1, n>>>(texture, d_at, d_out);
        CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n; i++) {
            float x = at[i], fraction = x - floorf(x);
            bool inside = x >= 0 && x < 1;
            if (mode == cudaAddressModeWrap) x = fraction;
            if (mode == cudaAddressModeMirror) x = (int)floorf(x) % 2 == 0 ? fraction : 1 - fraction;
            if (mode == cudaAddressModeClamp) x = x < 0 ? 0 : x >= 1 ? 0.99f : x;
            int expected = mode == cudaAddressModeBorder && !inside ? 0 : texels[(int)(x * w)];
            wrong += out[i] != expected;
        }
        printf("%s:", names[mode]);
        for (int value : out) printf(" %d", value);
        printf(", %d wrong\n", wrong);
        CHECK(cudaDestroyTextureObject(texture));
    }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_at));
    CHECK(cudaFree(d_out));
    return 0;
}
