// tex1Dfetch() past the last texel: a GPU returns zero, and nothing is noticed.
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

__global__ void neighbours(cudaTextureObject_t in, float *out, int n) {
    int i = threadIdx.x;
    out[i] = tex1Dfetch<float>(in, i) + tex1Dfetch<float>(in, i + 1); //~ M001
}

cudaTextureObject_t texture_of(void *memory, size_t bytes) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = memory;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

int main() {
    const int n = 32;
    float in[n], out[n], *d_in, *d_out;
    for (int i = 0; i < n; i++) in[i] = (float)i;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(d_in, sizeof in);
    neighbours<<<1, n>>>(texture, d_out, n);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g %g\n", out[0], out[n - 1]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return 0;
}
