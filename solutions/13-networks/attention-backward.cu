// The gradients of attention: of queries, keys and values.
//
// q, k, v, dout, dq, dk, dv: (heads, n, HEAD), lse, delta: (heads, n), row-major.
// dout is given: how much the loss changes with each number of out.
// Blocks of 64 threads, enough to have a thread for each token; blockIdx.y is
// the head.

#define HEAD 32
#define LOWEST -3.0e38f // below every score

__device__ float dot(const float *a, const float *b) {
    float sum = 0;
    for (int c = 0; c < HEAD; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

// First launch: the same as in `attention`. Of its results it keeps two numbers for
// each token:
//     lse      log of the sum of exp(score), so that a weight is exp(score - lse)
//     delta    the dot product of out and dout
// Leave it as it is.
extern "C" __global__ void forward(const float *q, const float *k, const float *v,
                                   const float *dout, float *lse, float *delta, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long head = (long long)blockIdx.y * n;
    q += head * HEAD;
    k += head * HEAD;
    v += head * HEAD;
    dout += head * HEAD;
    lse += head;
    delta += head;
    if (i >= n) {
        return;
    }
    float query[HEAD], mix[HEAD] = {};
    for (int c = 0; c < HEAD; c++) {
        query[c] = q[i * HEAD + c];
    }
    float top = LOWEST, sum = 0;
    for (int j = 0; j <= i; j++) {
        float score = dot(query, k + j * HEAD) * rsqrtf(HEAD);
        float before = top;
        top = fmaxf(top, score);
        float factor = expf(before - top), weight = expf(score - top);
        sum = sum * factor + weight;
        for (int c = 0; c < HEAD; c++) {
            mix[c] = mix[c] * factor + weight * v[j * HEAD + c];
        }
    }
    lse[i] = top + logf(sum);
    delta[i] = dot(mix, dout + i * HEAD) / sum;
}

// Second launch: a thread for each query. Leave it as it is.
extern "C" __global__ void backward_q(const float *q, const float *k, const float *v,
                                      const float *dout, const float *lse, const float *delta,
                                      float *dq, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long head = (long long)blockIdx.y * n;
    q += head * HEAD;
    k += head * HEAD;
    v += head * HEAD;
    dout += head * HEAD;
    lse += head;
    delta += head;
    dq += head * HEAD;
    if (i >= n) {
        return;
    }
    float query[HEAD], my_dout[HEAD], sum[HEAD] = {};
    for (int c = 0; c < HEAD; c++) {
        query[c] = q[i * HEAD + c];
        my_dout[c] = dout[i * HEAD + c];
    }
    float my_lse = lse[i], my_delta = delta[i];
    for (int j = 0; j <= i; j++) { // the keys that this query saw
        float score = dot(query, k + j * HEAD) * rsqrtf(HEAD);
        float weight = expf(score - my_lse);
        float dweight = dot(my_dout, v + j * HEAD);
        float dscore = weight * (dweight - my_delta);
        for (int c = 0; c < HEAD; c++) {
            sum[c] += dscore * k[j * HEAD + c] * rsqrtf(HEAD);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        dq[i * HEAD + c] = sum[c];
    }
}

// Third launch: a thread for each key and its value.
extern "C" __global__ void backward_kv(const float *q, const float *k, const float *v,
                                       const float *dout, const float *lse, const float *delta,
                                       float *dk, float *dv, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    long long head = (long long)blockIdx.y * n;
    q += head * HEAD;
    k += head * HEAD;
    v += head * HEAD;
    dout += head * HEAD;
    lse += head;
    delta += head;
    dk += head * HEAD;
    dv += head * HEAD;
    if (j >= n) {
        return;
    }
    float key[HEAD], value[HEAD], sum_dk[HEAD] = {}, sum_dv[HEAD] = {};
    for (int c = 0; c < HEAD; c++) {
        key[c] = k[j * HEAD + c];
        value[c] = v[j * HEAD + c];
    }
    // The queries that saw this key are those from j on. All threads of the block
    // begin at the same one, and wait for their own: then the lanes of a warp
    // always read the same query, which is one sector for all of them.
    for (int i = blockIdx.x * blockDim.x; i < n; i++) {
        if (i < j) {
            continue;
        }
        // Read once, used twice each.
        float query[HEAD], its_dout[HEAD];
        for (int c = 0; c < HEAD; c++) {
            query[c] = q[i * HEAD + c];
            its_dout[c] = dout[i * HEAD + c];
        }
        // The same weight as forwards, computed again: lse is one number per query.
        float weight = expf(dot(query, key) * rsqrtf(HEAD) - lse[i]);
        float dweight = dot(its_dout, value);
        float dscore = weight * (dweight - delta[i]);
        for (int c = 0; c < HEAD; c++) {
            sum_dv[c] += weight * its_dout[c];
            sum_dk[c] += dscore * query[c] * rsqrtf(HEAD);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        dk[j * HEAD + c] = sum_dk[c];
        dv[j * HEAD + c] = sum_dv[c];
    }
}
