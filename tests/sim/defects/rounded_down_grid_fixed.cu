// The tail is read one by one.
// launch: grid 1 block 16
// arg n: i32 = 62
// in a: f32 62 = 1
// out y: f32 16
// expect y[i] = min(4, 62 - 4 * i)
extern "C" __global__ void tail(int n, const float *a, float *y) {
    int first = 4 * threadIdx.x;
    float sum = 0;
    if (first + 3 < n) {
        float4 v = ((const float4 *)a)[threadIdx.x];
        sum = v.x + v.y + v.z + v.w;
    } else {
        for (int k = first; k < n; k++)
            sum += a[k];
    }
    y[threadIdx.x] = sum;
}
