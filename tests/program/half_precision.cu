// Halves, bfloat16 and matrix units.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>
#include <vector>
using namespace nvcuda;

__global__ void axpy(const __half *x, __half *y, __half a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) ((__half2 *)y)[i] = __hfma2(__half2half2(a), ((const __half2 *)x)[i], ((__half2 *)y)[i]);
}

__global__ void product(const __half *a, const __half *b, float *c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + col * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

__global__ void rounding(float *out) {
    out[0] = __bfloat162float(__float2bfloat16(1.00390625f));
    out[1] = __half2float(__float2half(65519.0f));
    out[2] = __half2float(hsqrt(__float2half(2.0f)));
}

int main() {
    const int n = 64;
    std::vector<__half> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = __float2half((i % 13) - 6);
        b[i] = __float2half((i % 11) - 5);
    }
    __half *d_a, *d_b;
    float *d_c;
    cudaMalloc(&d_a, n * n * 2);
    cudaMalloc(&d_b, n * n * 2);
    cudaMalloc(&d_c, n * n * 4);
    cudaMemcpy(d_a, a.data(), n * n * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * n * 2, cudaMemcpyHostToDevice);
    product<<<dim3(n / 16, n / 16), 32>>>(d_a, d_b, d_c, n);
    std::vector<float> c(n * n);
    cudaMemcpy(c.data(), d_c, n * n * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float want = 0;
            for (int k = 0; k < n; k++) want += __half2float(a[i * n + k]) * __half2float(b[j * n + k]);
            wrong += want != c[i * n + j];
        }
    printf("%d wrong, c[0] = %g\n", wrong, c[0]);
    axpy<<<8, 256>>>(d_a, d_b, __float2half(0.5f), n * n);
    cudaMemcpy(b.data(), d_b, n * n * 2, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", __half2float(b[0]), __half2float(b[1]), __half2float(b[n * n - 1]));
    rounding<<<1, 1>>>(d_c);
    cudaMemcpy(c.data(), d_c, 12, cudaMemcpyDeviceToHost);
    printf("%.8g %g %.8g\n", c[0], c[1], c[2]);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}
