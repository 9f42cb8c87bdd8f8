//! A small array that is indexed by data, so that it lies in local memory, and one that stays in registers.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! held: out
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], bins[16] = {};
    unsigned at = i;
    for (int k = 0; k < 32; k++) {
        at = (at * 5 + n) % 16;
        bins[at] += x;
    }
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += bins[k] * k;
    c[i] = sum;
}


extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], bins[16] = {};
    unsigned at = i;
    for (int k = 0; k < 32; k++) {
        at = (at * 5 + n) % 16;
#pragma unroll
        for (int j = 0; j < 16; j++) bins[j] += j == at ? x : 0.0f;
    }
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += bins[k] * k;
    c[i] = sum;
}
