// Pointers in place of subscripts, and the sum in double.
extern "C" __global__ void map(const float *in, float *out) {
    const float *from = in + threadIdx.x;
    double sum = *from + 10.0;
    *(out + threadIdx.x) = (float)sum;
}
