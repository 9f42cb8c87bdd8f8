// launch: grid 1 block 8
// in x: i32 8 = i + 1
// out y: i32 16
// expect y[i] = i % 2 ? i / 2 + 1 : 100 / (i / 2 + 1)
struct Both {
    int quotient, divisor;
};
extern "C" __global__ void quotient_in_a_structure_fixed(const int *x, Both *y) {
    int i = threadIdx.x;
    y[i].divisor = x[i];
    y[i].quotient = 100 / x[i];
}
