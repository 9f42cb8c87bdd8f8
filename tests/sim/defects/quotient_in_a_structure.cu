// A structure's other member has its value.
// launch: grid 1 block 8
// in x: i32 8 = i
// out y: i32 16
// finding: N004
struct Both {
    int quotient, divisor;
};
extern "C" __global__ void quotient_in_a_structure(const int *x, Both *y) {
    int i = threadIdx.x;
    y[i].divisor = x[i];
    y[i].quotient = 100 / x[i]; //~ N004
}
