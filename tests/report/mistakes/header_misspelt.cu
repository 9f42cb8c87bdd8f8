#include <cuda_fp61.h>
extern "C" __global__ void map(const float *in, float *out) { out[0] = in[0]; }
