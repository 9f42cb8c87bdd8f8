// A float far beyond what an int holds.
//
// launch: grid 1 block 8
// in a: f32 8 = i * 1e9
// out b: i32 8
// expect b = 0 1000000000 2000000000 2147483647 2147483647 2147483647 2147483647 2147483647
// advice: N005
extern "C" __global__ void count_in_an_int(const float *a, int *b) {
    b[threadIdx.x] = (int)a[threadIdx.x]; //~ N005
}
