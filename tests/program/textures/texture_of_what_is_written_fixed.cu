// The memory is read by its pointer.
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

__global__ void double_and_add(cudaTextureObject_t in, float *data, float *out) {
    int i = threadIdx.x;
    data[i] *= 2.0f;
    __syncthreads();
    out[i] = data[(i + 1) % blockDim.x];
}

int main() {
    const int n = 64;
    float in[n], out[n], *d_data, *d_out;
    for (int i = 0; i < n; i++) in[i] = (float)i;
    CHECK(cudaMalloc(&d_data, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_data, in, sizeof in, cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = d_data;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = sizeof in;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    double_and_add<<<1, n>>>(texture, d_data, d_out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%d values\n", (int)(sizeof out / sizeof out[0]));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_out));
    return 0;
}
