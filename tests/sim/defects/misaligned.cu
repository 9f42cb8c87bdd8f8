// Four bytes at an odd address.
// launch: grid 1 block 4
// in a: i32 64 = i
// out y: i32 4
// finding: M002
extern "C" __global__ void odd(const int *a, int *y) {
    const char *bytes = (const char *)a;
    y[threadIdx.x] = *(const int *)(bytes + 1 + 4 * threadIdx.x); //~ M002
}
