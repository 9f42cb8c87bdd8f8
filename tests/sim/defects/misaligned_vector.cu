// A float4 at an address that is a multiple of 4 only.
// launch: grid 1 block 4
// in a: f32 64 = i
// out y: f32 4
// finding: M002
extern "C" __global__ void vector(const float *a, float *y) {
    float4 v = *(const float4 *)(a + 1 + 4 * threadIdx.x); //~ M002
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
