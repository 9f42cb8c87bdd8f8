// launch: grid 1 block 8
// in a: f32 8 = i * 1e9
// out b: i64 8
// expect b[i] = i * 1000000000
// advice:
extern "C" __global__ void count_in_an_int_fixed(const float *a, long long *b) {
    b[threadIdx.x] = (long long)a[threadIdx.x];
}
