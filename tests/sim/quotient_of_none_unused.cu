// A division that the compiler moved above its condition: where the divisor is zero, nothing uses the quotient.
// launch: grid 1 block 32
// in x: i32 32 = i % 4
// out y: i32 32
// expect y[i] = i % 4 ? 12 / (i % 4) : 7
extern "C" __global__ void quotient_of_none_unused(const int *x, int *y) {
    int divisor = x[threadIdx.x], quotient;
    asm("div.s32 %0, 12, %1;" : "=r"(quotient) : "r"(divisor));
    y[threadIdx.x] = divisor != 0 ? quotient : 7;
}
