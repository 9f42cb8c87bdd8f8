// The element that one warp writes comes with those that the other reads, and is not read: in global memory, and in shared.
// launch: grid 1 block 64
// inout p: f32 128 = i
// out y: f32 64
// expect y[i] = i < 32 ? 9 * i + 5 : 0
extern "C" __global__ void neighbours(float4 *p, float *y) {
    __shared__ float4 s[32];
    unsigned t = threadIdx.x % 32;
    y[threadIdx.x] = 0;
    if (threadIdx.x < 32) s[t] = make_float4(t, 0, 2, 3);
    __syncthreads();
    if (threadIdx.x < 32) {
        float4 v = p[t];
        float4 w = s[t];
        y[t] = v.x + v.z + w.x + w.y + w.w;
    } else {
        p[t].y = 1;
        s[t].z = 5;
    }
}
