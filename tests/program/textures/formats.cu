// Texels of each format, as they are and as floats from 0 to 1 or from -1 to 1.
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

template <class T, class R> __global__ void read(cudaTextureObject_t texture, R *out) {
    out[threadIdx.x] = tex2D<R>(texture, threadIdx.x + 0.5f, 0.5f);
}

template <class T, class R>
void show(const char *name, const T (&texels)[4], cudaChannelFormatDesc format, cudaTextureReadMode mode, void print(R)) {
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 4, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    how.readMode = mode;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    R *d_out, out[4];
    CHECK(cudaMalloc(&d_out, sizeof out));
    read<T, R><<<1, 4>>>(texture, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%s:", name);
    for (R value : out) print(value);
    printf("\n");
    CHECK(cudaFree(d_out));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

template <class T> void integer(T value) { printf(" %lld", (long long)value); }
void real(float value) { printf(" %.4f", value); }
void bytes(uchar4 v) { printf(" %d,%d,%d,%d", v.x, v.y, v.z, v.w); }
void colour(float4 v) { printf(" %.3f,%.3f,%.3f,%.3f", v.x, v.y, v.z, v.w); }
void pair(int2 v) { printf(" %d,%d", v.x, v.y); }

int main() {
    const cudaTextureReadMode as_is = cudaReadModeElementType, normalised = cudaReadModeNormalizedFloat;
    const unsigned char u8[4] = { 0, 51, 128, 255 };
    const signed char s8[4] = { -128, -127, 0, 127 };
    const unsigned short u16[4] = { 0, 13107, 32768, 65535 };
    const short s16[4] = { -32768, -32767, 0, 32767 };
    const unsigned u32[4] = { 0, 1, 1u << 31, 4294967295u };
    const int s32[4] = { -2147483647 - 1, -1, 0, 2147483647 };
    const float f32[4] = { -1.5f, 0.0f, 0.25f, 1e6f };
    const unsigned short f16[4] = { 0x3c00, 0xc000, 0x3800, 0x0000 };
    const uchar4 u8x4[4] = { { 1, 2, 3, 4 }, { 255, 0, 255, 0 }, { 0, 51, 102, 153 }, { 9, 8, 7, 6 } };
    const float4 f32x4[4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 }, { 13, 14, 15, 16 } };
    const int2 s32x2[4] = { { 1, -1 }, { 2, -2 }, { 3, -3 }, { 4, -4 } };
    show<unsigned char, unsigned char>("uchar", u8, cudaCreateChannelDesc<unsigned char>(), as_is, integer);
    show<signed char, signed char>("char", s8, cudaCreateChannelDesc<signed char>(), as_is, integer);
    show<unsigned short, unsigned short>("ushort", u16, cudaCreateChannelDesc<unsigned short>(), as_is, integer);
    show<short, short>("short", s16, cudaCreateChannelDesc<short>(), as_is, integer);
    show<unsigned, unsigned>("uint", u32, cudaCreateChannelDesc<unsigned>(), as_is, integer);
    show<int, int>("int", s32, cudaCreateChannelDesc<int>(), as_is, integer);
    show<float, float>("float", f32, cudaCreateChannelDesc<float>(), as_is, real);
    show<unsigned short, float>("half", f16, cudaCreateChannelDescHalf(), as_is, real);
    show<uchar4, uchar4>("uchar4", u8x4, cudaCreateChannelDesc<uchar4>(), as_is, bytes);
    show<float4, float4>("float4", f32x4, cudaCreateChannelDesc<float4>(), as_is, colour);
    show<int2, int2>("int2", s32x2, cudaCreateChannelDesc<int2>(), as_is, pair);
    show<unsigned char, float>("uchar as float", u8, cudaCreateChannelDesc<unsigned char>(), normalised, real);
    show<signed char, float>("char as float", s8, cudaCreateChannelDesc<signed char>(), normalised, real);
    show<unsigned short, float>("ushort as float", u16, cudaCreateChannelDesc<unsigned short>(), normalised, real);
    show<short, float>("short as float", s16, cudaCreateChannelDesc<short>(), normalised, real);
    show<uchar4, float4>("uchar4 as float4", u8x4, cudaCreateChannelDesc<uchar4>(), normalised, colour);
    return 0;
}
