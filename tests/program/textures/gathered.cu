// Four texels at once are not supported.
// exit: unsupported
// modelled: it ends where this tool lacks tex2Dgather()
#include <cstdio>

__global__ void corners(cudaTextureObject_t image, float4 *out) {
    out[threadIdx.x] = tex2Dgather<float4>(image, threadIdx.x + 1.0f, 1.0f);
}

int main() {
    float4 *out;
    cudaMalloc(&out, 32 * sizeof(float4));
    corners<<<1, 32>>>(0, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
