// Scaled scores stay in registers between the two loops.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define HEAD 32
#define TILE 16
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every score

__device__ void scores(const __half *q, const __half *k, float *score) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> queries;
    fragment<matrix_b, TILE, TILE, TILE, __half, col_major> keys;
    fragment<accumulator, TILE, TILE, TILE, float> sum;
    fill_fragment(sum, 0.0f);
    for (int c = 0; c < HEAD; c += TILE) {
        load_matrix_sync(queries, q + c, HEAD);
        load_matrix_sync(keys, k + c, HEAD);
        mma_sync(sum, queries, keys, sum);
    }
    store_matrix_sync(score, sum, TILE, mem_row_major);
}

__device__ void add_values(const __half *weight, const __half *v, float *mix) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> weights;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> values;
    fragment<accumulator, TILE, TILE, TILE, float> sum;
    load_matrix_sync(weights, weight, TILE);
    for (int c = 0; c < HEAD; c += TILE) {
        load_matrix_sync(sum, mix + c, HEAD, mem_row_major);
        load_matrix_sync(values, v + c, HEAD);
        mma_sync(sum, weights, values, sum);
        store_matrix_sync(mix + c, sum, HEAD, mem_row_major);
    }
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out,
                                     int n) {
    __shared__ __align__(32) float score[TILE * TILE];
    __shared__ __align__(32) __half weight[TILE * TILE];
    __shared__ __align__(32) float mix[TILE * HEAD];
    int row = threadIdx.x / 2, half = threadIdx.x % 2;
    int first = blockIdx.x * TILE; // the block's first query
    q += (blockIdx.y * n + first) * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += (blockIdx.y * n + first) * HEAD;

    float *my_mix = mix + row * HEAD + half * (HEAD / 2);
    for (int c = 0; c < HEAD / 2; c++) {
        my_mix[c] = 0;
    }
    float top = LOWEST, sum = 0;
    for (int start = 0; start <= first; start += TILE) {
        scores(q, k + start * HEAD, score);
        __syncthreads();

        float *my_score = score + row * TILE + half * (TILE / 2);
        __half *my_weight = weight + row * TILE + half * (TILE / 2);
        int seen = first + row - start - half * (TILE / 2) + 1; // of these keys
        float before = top, mine[TILE / 2];
#pragma unroll
        for (int j = 0; j < TILE / 2; j++) {
            mine[j] = j < seen ? my_score[j] * rsqrtf(HEAD) : LOWEST;
            top = fmaxf(top, mine[j]);
        }
        top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, 1));
        float factor = expf(before - top), part = 0;
#pragma unroll
        for (int j = 0; j < TILE / 2; j++) {
            float w = expf(mine[j] - top);
            my_weight[j] = __float2half(w);
            part += w;
        }
        sum = sum * factor + part + __shfl_xor_sync(ALL_LANES, part, 1);
        for (int c = 0; c < HEAD / 2; c++) {
            my_mix[c] *= factor;
        }
        __syncthreads();

        add_values(weight, v + start * HEAD, mix);
        __syncthreads();
    }

    for (int c = 0; c < HEAD / 2; c++) {
        out[row * HEAD + half * (HEAD / 2) + c] = my_mix[c] / sum;
    }
}
