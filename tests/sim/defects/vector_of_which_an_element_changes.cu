// One warp writes an element that the other reads with its neighbours, in global memory.
// launch: grid 1 block 64
// inout p: f32 128 = i
// out y: f32 64
// finding: R002
extern "C" __global__ void neighbours(float4 *p, float *y) {
    unsigned t = threadIdx.x % 32;
    y[threadIdx.x] = 0;
    if (threadIdx.x < 32) {
        float4 v = p[t];
        y[t] = v.x + v.y + v.z;
    } else {
        p[t].z = 1; //~ R002
    }
}
