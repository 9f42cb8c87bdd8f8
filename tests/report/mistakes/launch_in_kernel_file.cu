extern "C" __global__ void map(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i] + 10;
}
int main() { map<<<1, 4>>>(0, 0); }
