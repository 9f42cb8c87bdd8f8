// A copy by cudaMemcpy3DAsync and a launch, in a stream; a class that frees what it has.
#include <cmath>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The texture has the picture, and the rules by which it is read.
__global__ void turn(cudaTextureObject_t picture, float *out, int height, int width, float cosine,
                     float sine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    // The centre of this pixel, seen from the centre of the picture.
    float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
    // Where it comes from. The centre of a texel is at a half, here and there, so
    // nothing is to be subtracted.
    float from_x = cosine * u + sine * v + 0.5f * width;
    float from_y = cosine * v - sine * u + 0.5f * height;
    // Four texels, their weights and the edges: all that is left to the texture unit.
    out[y * width + x] = tex2D<float>(picture, from_x, from_y);
}

// A picture that can be read by a texture.
class Picture {
  public:
    cudaTextureObject_t texture;

    Picture(const float *in, int height, int width, cudaStream_t stream) {
        cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
        CHECK(cudaMallocArray(&array, &format, width, height));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr((void *)in, width * sizeof(float), width, height);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(width, height, 1);
        copy.kind = cudaMemcpyDeviceToDevice;
        CHECK(cudaMemcpy3DAsync(&copy, stream));
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeArray;
        what.res.array.array = array;
        cudaTextureDesc how = {};
        how.filterMode = cudaFilterModeLinear;
        how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
        how.readMode = cudaReadModeElementType;
        CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    }
    Picture(const Picture &) = delete;
    ~Picture() {
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }

  private:
    cudaArray_t array;
};

// When it returns, `out` is complete.
void rotate(const float *in, float *out, int height, int width, int degrees) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    {
        Picture picture(in, height, width, stream);
        float angle = degrees * 3.14159265f / 180;
        dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
        turn<<<grid, block, 0, stream>>>(picture.texture, out, height, width, cosf(angle), sinf(angle));
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    // An L, turned by 90 degrees.
    const int n = 4;
    const float host_in[n * n] = {0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 9, 0};
    float *in, *out, host_out[n * n];
    CHECK(cudaMalloc(&in, sizeof(host_in)));
    CHECK(cudaMalloc(&out, sizeof(host_out)));
    CHECK(cudaMemcpy(in, host_in, sizeof(host_in), cudaMemcpyHostToDevice));
    rotate(in, out, n, n, 90);
    CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            printf("%3.0f%c", fabsf(host_out[y * n + x]), x < n - 1 ? ' ' : '\n');
        }
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
