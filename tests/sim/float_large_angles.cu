// Angles so large that the argument reduction takes its slow path (Payne and Hanek).
// launch: grid 1 block 8
// in a: f32 8 = 100000 * pow(10, i * 2) + i
// out y: f32 16
// expect y[i] = i % 2 == 0 ? sin(a[i/2]) : cos(a[i/2]) ~ 3e-7
extern "C" __global__ void angles(const float *a, float *y) {
    int i = threadIdx.x;
    sincosf(a[i], &y[2 * i], &y[2 * i + 1]);
}
