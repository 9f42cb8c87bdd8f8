// Loads and stores of two and four elements at once, and of 16-byte structures.
// launch: grid 1 block 32
// in a: f32 128 = i * 0.25
// in b: i16 128 = i * 3
// out y: f32 128
// out z: i16 128
// out d: f64 64
// expect y[i] = a[i/4*4 + 3 - i%4]
// expect z[i] = b[i/4*4 + (i + 1) % 4]
// expect d[i] = i % 2 == 0 ? a[i/2*4] + a[i/2*4 + 1] : a[i/2*4 + 2] * a[i/2*4 + 3]
extern "C" __global__ void vectors(const float4 *a, const short4 *b, float4 *y, short4 *z, double2 *d) {
    int i = threadIdx.x;
    float4 v = __ldg(&a[i]);
    y[i] = make_float4(v.w, v.z, v.y, v.x);
    short4 s = b[i];
    z[i] = make_short4(s.y, s.z, s.w, s.x);
    d[i] = make_double2((double)v.x + v.y, (double)(v.z * v.w));
}
