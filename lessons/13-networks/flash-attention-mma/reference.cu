// Attention: scores, largest, sum, mixture, one query for each of the first 64 threads.
// 64 keys and values at a time are in shared memory as floats, in which the product of
// two halves is exact.
#include <cuda_fp16.h>

#define HEAD 64

__device__ void load(const __half *from, float4 *to) {
    for (int i = threadIdx.x; i < 64 * HEAD / 4; i += blockDim.x) {
        float2 a = __half22float2(((const __half2 *)from)[2 * i]);
        float2 b = __half22float2(((const __half2 *)from)[2 * i + 1]);
        to[i] = make_float4(a.x, a.y, b.x, b.y);
    }
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v,
                                     __half *out, int n) {
    extern __shared__ float4 room[];
    float4 *keys = room, *values = room + 64 * HEAD / 4;
    long long head = (long long)blockIdx.y * n * HEAD;
    long long own = head + (long long)blockIdx.x * 64 * HEAD;
    bool is_query = threadIdx.x < 64;
    float query[HEAD] = {}, mix[HEAD] = {};
    double top = -1e300, sum = 0;
    if (is_query) {
#pragma unroll
        for (int c = 0; c < HEAD; c++) {
            query[c] = __half2float(q[own + threadIdx.x * HEAD + c]) / sqrtf(HEAD);
        }
    }
    for (int start = 0; start < n; start += 64) {
        __syncthreads();
        load(k + head + start * HEAD, keys);
        load(v + head + start * HEAD, values);
        __syncthreads();
        for (int j = 0; is_query && j < 64; j++) {
            double score = 0;
#pragma unroll
            for (int c = 0; c < HEAD; c += 16) {
                float part = 0;
#pragma unroll
                for (int i = 0; i < 16; i += 4) {
                    float4 key = keys[(j * HEAD + c + i) / 4];
                    part += query[c + i] * key.x + query[c + i + 1] * key.y;
                    part += query[c + i + 2] * key.z + query[c + i + 3] * key.w;
                }
                score += part;
            }
            if (score > top) {
                float shrink = (float)exp(top - score);
                top = score;
                sum *= shrink;
#pragma unroll
                for (int c = 0; c < HEAD; c++) {
                    mix[c] *= shrink;
                }
            }
            float weight = (float)exp(score - top);
            sum += weight;
#pragma unroll
            for (int c = 0; c < HEAD; c += 4) {
                float4 value = values[(j * HEAD + c) / 4];
                mix[c] += weight * value.x;
                mix[c + 1] += weight * value.y;
                mix[c + 2] += weight * value.z;
                mix[c + 3] += weight * value.w;
            }
        }
    }
    if (is_query) {
#pragma unroll
        for (int c = 0; c < HEAD; c++) {
            out[own + threadIdx.x * HEAD + c] = __float2half((float)(mix[c] / sum));
        }
    }
}
