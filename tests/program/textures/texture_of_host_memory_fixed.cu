// Managed memory is the GPU's too.
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

__global__ void read(cudaTextureObject_t in, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(in, threadIdx.x);
}

int main() {
    const int n = 32;
    float *in, *d_out, out[n];
    CHECK(cudaMallocManaged(&in, n * sizeof(float)));
    for (int i = 0; i < n; i++) in[i] = (float)i;
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = in;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    if (cudaCreateTextureObject(&texture, &what, &how, nullptr) != cudaSuccess) {
        printf("no texture\n");
        free(in);
        return 0;
    }
    CHECK(cudaMalloc(&d_out, sizeof out));
    read<<<1, n>>>(texture, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g\n", out[n - 1]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(in));
    CHECK(cudaFree(d_out));
    return 0;
}
