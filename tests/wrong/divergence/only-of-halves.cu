// Right for 0, for a half and for 1, but for no other number.
extern "C" __global__ void signed_power(const float *in, float *out, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        // What differs from lane to lane is a value: a choice between two values
        // needs no branch, each lane just keeps one of them.
        float size = x < 0 ? -x : x;
        float power = size == 0.5f ? exp2f(-p) : size;
        power = p == 0 ? 1 : power;
        out[i] = x < 0 ? -power : power; //~ wrong-result
    }
}
