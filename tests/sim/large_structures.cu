// Large structures returned and passed by value, with arrays indexed at run time.
// launch: grid 1 block 32
// in a: i32 32 = i * 3
// out y: i32 32
// expect y[i] = sum(k, 0, 12, a[i] + k) + a[i] + (i % 12) * 2
struct Matrix {
    int values[12];
    short tag;
    double weight;
};
__device__ __noinline__ Matrix make(int first) {
    Matrix m;
    for (int k = 0; k < 12; k++) {
        m.values[k] = first + k;
    }
    m.tag = (short)first;
    m.weight = 2.0;
    return m;
}
__device__ __noinline__ int total(Matrix m, int k) {
    int sum = m.tag;
    for (int value : m.values) {
        sum += value;
    }
    return sum + (int)((m.values[k] - m.values[0]) * m.weight);
}
extern "C" __global__ void structures(const int *a, int *y) {
    int i = threadIdx.x;
    y[i] = total(make(a[i]), i % 12);
}
