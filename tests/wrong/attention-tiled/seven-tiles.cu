// Looks at the first seven tiles only.
#define HEAD 32
#define TILE 32         // keys, or values, that a block fetches at a time
#define LOWEST -3.0e38f // below every score

extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out,
                                     int n) {
    __shared__ float keys[TILE][HEAD];
    __shared__ float values[TILE][HEAD];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t; // which token
    // From here on, q[i * HEAD + c] and so on are in this head.
    q += blockIdx.y * n * HEAD;
    k += blockIdx.y * n * HEAD;
    v += blockIdx.y * n * HEAD;
    out += blockIdx.y * n * HEAD;

    float query[HEAD] = {}; // zeros for threads past the last token
    float mix[HEAD] = {};   // the values so far, each times its weight
    for (int c = 0; c < HEAD && i < n; c++) {
        query[c] = q[i * HEAD + c];
    }

    float top = LOWEST, sum = 0;
    // No token of the block looks further than the block's last one.
    int last = min(n, (int)(blockIdx.x + 1) * 64);
    for (int start = 0; start < last; start += TILE) {
        // Lanes side by side fetch numbers side by side. The last tile may be
        // incomplete: what is missing is not used below.
        for (int e = t; e < TILE * HEAD; e += 64) {
            int j = start + e / HEAD;
            if (j < last) {
                keys[e / HEAD][e % HEAD] = k[j * HEAD + e % HEAD];
                values[e / HEAD][e % HEAD] = v[j * HEAD + e % HEAD];
            }
        }
        __syncthreads(); // the tiles are full

        // How many keys of this tile token i may see. All lanes are at the same key,
        // so a read is sent to all of them at once.
        int seen = i < n && start < 224 ? min(TILE, i + 1 - start) : 0;
        for (int j = 0; j < seen; j++) {
            float dot = 0;
            for (int c = 0; c < HEAD; c++) {
                dot += query[c] * keys[j][c];
            }
            float score = dot * rsqrtf(HEAD);
            float before = top;
            top = fmaxf(top, score);
            float factor = expf(before - top);
            float weight = expf(score - top);
            sum = sum * factor + weight;
            for (int c = 0; c < HEAD; c++) {
                mix[c] = mix[c] * factor + weight * values[j][c];
            }
        }
        __syncthreads(); // the tiles are no longer needed
    }

    // Threads past the last token helped to fill; only now may they stop.
    for (int c = 0; c < HEAD && i < n; c++) {
        out[i * HEAD + c] = mix[c] / sum; //~ wrong-result
    }
}
