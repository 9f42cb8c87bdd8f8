// launch: grid 1 block 8
// strict floats: yes
// in x: f32 8 = 200 + i % 2
// out b: f32 8
// finding: N006
extern "C" __global__ void variance(const float *x, float *b) {
    const int n = 8;
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    float mean = sum / n, var = 0;
#ifdef FIXED
    for (int i = 0; i < n; i++) {
        float d;
        d = x[i] - mean;
        var += d * d / n;
    }
#else
    var = squares / n - mean * mean;
#endif
    b[threadIdx.x] = var;
}
