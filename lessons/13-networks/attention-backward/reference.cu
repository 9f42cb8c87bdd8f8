// All in double; lse and delta are handed on as floats, as in the lesson.
#define HEAD 32

__device__ double dot(const float *a, const float *b) {
    double sum = 0;
    for (int c = 0; c < HEAD; c++) {
        sum += (double)a[c] * b[c];
    }
    return sum;
}

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
    double top = -1e300, sum = 0, along = 0;
    for (int j = 0; j <= i; j++) {
        double score = dot(q + i * HEAD, k + j * HEAD) / sqrt((double)HEAD);
        double before = top;
        top = fmax(top, score);
        sum = sum * exp(before - top) + exp(score - top);
        along = along * exp(before - top) + exp(score - top) * dot(v + j * HEAD, dout + i * HEAD);
    }
    lse[i] = (float)(top + log(sum));
    delta[i] = (float)(along / sum);
}

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
    double sum[HEAD] = {};
    for (int j = 0; j <= i; j++) {
        double weight = exp(dot(q + i * HEAD, k + j * HEAD) / sqrt((double)HEAD) - lse[i]);
        double dscore = weight * (dot(dout + i * HEAD, v + j * HEAD) - delta[i]);
        for (int c = 0; c < HEAD; c++) {
            sum[c] += dscore * k[j * HEAD + c] / sqrt((double)HEAD);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        dq[i * HEAD + c] = (float)sum[c];
    }
}

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
    double to_k[HEAD] = {}, to_v[HEAD] = {};
    for (int i = j; i < n; i++) {
        double weight = exp(dot(q + i * HEAD, k + j * HEAD) / sqrt((double)HEAD) - lse[i]);
        double dscore = weight * (dot(dout + i * HEAD, v + j * HEAD) - delta[i]);
        for (int c = 0; c < HEAD; c++) {
            to_v[c] += weight * dout[i * HEAD + c];
            to_k[c] += dscore * q[i * HEAD + c] / sqrt((double)HEAD);
        }
    }
    for (int c = 0; c < HEAD; c++) {
        dk[j * HEAD + c] = (float)to_k[c];
        dv[j * HEAD + c] = (float)to_v[c];
    }
}
