// wmma with bytes, bf16, tf32 and doubles.
// arch: 80
// launch: grid 1 block 32
// in s: i8 256 = i8(i * 37)
// in u: i8 256 = i8(i * 11 + 5)
// in f: f32 128 = (i % 9) - 4
// in d: f64 32 = i * 0.5 - 3
// inout sums: i32 256 = i
// out t: f32 256
// out e: f64 64
// out g: f32 256
// expect sums[i] = i + sum(k, 0, 16, s[i/16*16 + k] * u[i%16*16 + k])
// expect t[i] = sum(k, 0, 8, f[i/16*8 + k] * f[k*16 + i%16])
// expect e[i] = sum(k, 0, 4, d[i/8*4 + k] * d[i%8*4 + k])
// expect g[i] = sum(k, 0, 16, (i/16 - k) * (k == i%16 ? 3 : 1))
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void types(const signed char *s, const signed char *u, const float *f, const double *d, int *sums, float *t, double *e, float *g) {
    {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, int> total;
        wmma::load_matrix_sync(left, s, 16);
        wmma::load_matrix_sync(right, u, 16);
        wmma::load_matrix_sync(total, sums, 16, wmma::mem_row_major);
        wmma::mma_sync(total, left, right, total);
        wmma::store_matrix_sync(sums, total, 16, wmma::mem_row_major);
    }
    {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> total;
        wmma::fill_fragment(total, 0.0f);
        wmma::load_matrix_sync(left, f, 8);
        wmma::load_matrix_sync(right, f, 16);
        for (int k = 0; k < left.num_elements; k++) {
            left.x[k] = wmma::__float_to_tf32(left.x[k]);
        }
        wmma::mma_sync(total, left, right, total);
        wmma::store_matrix_sync(t, total, 16, wmma::mem_row_major);
    }
    {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> right;
        wmma::fragment<wmma::accumulator, 8, 8, 4, double> total;
        wmma::fill_fragment(total, 0.0);
        wmma::load_matrix_sync(left, d, 4);
        wmma::load_matrix_sync(right, d, 4);
        wmma::mma_sync(total, left, right, total);
        wmma::store_matrix_sync(e, total, 8, wmma::mem_row_major);
    }
    {
        __shared__ __align__(32) __nv_bfloat16 a[256], b[256];
        for (int i = threadIdx.x; i < 256; i += 32) {
            a[i] = __float2bfloat16((float)(i / 16 - i % 16));
            b[i] = __float2bfloat16(i / 16 == i % 16 ? 3.0f : 1.0f);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> total;
        wmma::fill_fragment(total, 0.0f);
        wmma::load_matrix_sync(left, a, 16);
        wmma::load_matrix_sync(right, b, 16);
        wmma::mma_sync(total, left, right, total);
        wmma::store_matrix_sync(g, total, 16, wmma::mem_row_major);
    }
}
