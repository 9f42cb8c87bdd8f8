// Structures passed by value, to the kernel and between functions.
// launch: grid 1 block 32
// arg p: struct i8=-3 f64=0.5 i16=300 i32=70000
// arg scale: f32 = 2
// out y: f64 32
// expect y[i] = (-3 + 0.5 * i + 300 + 70000) * 2
struct Parameters {
    signed char a;
    double b;
    short c;
    int d;
};
struct Pair {
    double first, second;
};
__device__ __noinline__ Pair split(Parameters p, int i) { return {p.a + p.b * i, (double)p.c + p.d}; }
extern "C" __global__ void structs(Parameters p, float scale, double *y) {
    Pair pair = split(p, threadIdx.x);
    y[threadIdx.x] = (pair.first + pair.second) * scale;
}
