// The library has barriers for this: one that it waits for is a token, which moves.
#include <cuda/barrier>
#include <utility>
#define THREADS 128
#define TILE 512
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    __shared__ alignas(128) float tile[2][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[2];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (t == 0) {
        init(&full[0], THREADS);
        init(&full[1], THREADS);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token[2];
    auto fetch = [&](int b, int start) {
        if (t == 0) {
            unsigned bytes = min(TILE, m - start) * sizeof(float);
            cuda::device::experimental::cp_async_bulk_global_to_shared(tile[b], y + start, bytes, full[b]);
            token[b] = cuda::device::barrier_arrive_tx(full[b], 1, bytes);
        } else {
            token[b] = full[b].arrive();
        }
    };
    float mine = i < n ? x[i] : 0, sum = 0;
    fetch(0, 0);
    int b = 0;
    for (int start = 0; start < m; start += TILE, b ^= 1) {
        if (start + TILE < m) fetch(b ^ 1, start + TILE);
        full[b].wait(std::move(token[b]));
        for (int j = 0, c = min(TILE, m - start); j < c; j++) sum += fabsf(mine - tile[b][j]);
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}
