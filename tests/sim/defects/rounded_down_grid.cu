// A vector load reads four elements where only two are left.
// launch: grid 1 block 16
// in a: f32 62 = i
// out y: f32 16
// finding: M001
extern "C" __global__ void tail(const float *a, float *y) {
    float4 v = ((const float4 *)a)[threadIdx.x]; //~ M001
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
