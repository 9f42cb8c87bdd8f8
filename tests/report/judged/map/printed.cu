#include <cstdio>
extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    printf("%d %f\n", i, in[i]);
    out[i] = in[i] + 10;
}
