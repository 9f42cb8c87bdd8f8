// A float4 at a multiple of 16 bytes.
// launch: grid 1 block 4
// in a: f32 64 = i
// out y: f32 4
// expect y[i] = 16 * i + 6
extern "C" __global__ void vector(const float *a, float *y) {
    float4 v = *(const float4 *)(a + 4 * threadIdx.x);
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
