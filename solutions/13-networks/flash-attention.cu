// attention: as in `attention-tiled`, with queries, keys and values of __half.
//
// q, k, v: (heads, n, HEAD) of __half, out: the same of float, row-major. n is a
// multiple of TILE. A block is one warp and has TILE queries; blockIdx.y is the
// head.

#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define HEAD 32
#define TILE 16
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every score

// score (TILE×TILE) = queries × keys transposed: row r, column j is the dot product
// of query r and key j. q, k: the tile's first query, its first key.
__device__ void scores(const __half *q, const __half *k, float *score) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> queries;
    // A key is a row of k, but a column here: col_major does the transposing.
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

// mix (TILE×HEAD) += weight (TILE×TILE) × values (TILE×HEAD). v: the tile's
// first value.
__device__ void add_values(const __half *weight, const __half *v, float *mix) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> weights;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> values;
    fragment<accumulator, TILE, TILE, TILE, float> sum;
    load_matrix_sync(weights, weight, TILE);
    for (int c = 0; c < HEAD; c += TILE) {
        // The sum continues from what the tiles before have left.
        load_matrix_sync(sum, mix + c, HEAD, mem_row_major);
        load_matrix_sync(values, v + c, HEAD);
        mma_sync(sum, weights, values, sum);
        store_matrix_sync(mix + c, sum, HEAD, mem_row_major);
    }
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out,
                                     int n) {
    // Fragments are loaded from addresses that are multiples of 32.
    __shared__ __align__(32) float score[TILE * TILE];
    __shared__ __align__(32) __half weight[TILE * TILE];
    __shared__ __align__(32) float mix[TILE * HEAD];
    // Two lanes share a query: the even one has the left half of its row.
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

        // Softmax, as before, for eight keys at a time.
        float *my_score = score + row * TILE + half * (TILE / 2);
        __half *my_weight = weight + row * TILE + half * (TILE / 2);
        int seen = first + row - start - half * (TILE / 2) + 1; // of these keys
        float before = top;
        for (int j = 0; j < TILE / 2 && j < seen; j++) {
            top = fmaxf(top, my_score[j] * rsqrtf(HEAD));
        }
        top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, 1));
        float factor = expf(before - top), part = 0;
        for (int j = 0; j < TILE / 2; j++) {
            float w = j < seen ? expf(my_score[j] * rsqrtf(HEAD) - top) : 0;
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
