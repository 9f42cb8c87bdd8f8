// cp.async through the pipeline primitives: two groups in flight, 16 and 4 bytes each.
// arch: 80
// launch: grid 2 block 32
// in a: f32 256 = i * 0.5
// in b: f32 64 = i * 100
// out y: f32 256
// count load_requests: 4
// expect y[i] = a[i/128*128 + 127 - i%128] + b[i/128*32 + i%128/4]
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const float *a, const float *b, float *y) {
    __shared__ __align__(16) float tile[128];
    __shared__ float extra[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &a[blockIdx.x * 128 + 4 * t], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&extra[t], &b[blockIdx.x * 32 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float first = tile[127 - 4 * t];
    __pipeline_wait_prior(0);
    __syncthreads();
    y[blockIdx.x * 128 + 4 * t] = first + extra[t];
    for (int k = 1; k < 4; k++) {
        y[blockIdx.x * 128 + 4 * t + k] = tile[127 - 4 * t - k] + extra[t];
    }
}
