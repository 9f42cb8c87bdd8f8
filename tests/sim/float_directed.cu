// Addition and multiplication rounded down, up and towards zero bracket the exact result.
// launch: grid 1 block 64
// in a: f32 64 = i * 0.1 - 3
// in b: f32 64 = i * 0.3 + 1
// out y: i32 64
// expect y[i] = 15
extern "C" __global__ void directed(const float *a, const float *b, int *y) {
    int i = threadIdx.x;
    double exact_sum = (double)a[i] + (double)b[i], exact_product = (double)a[i] * (double)b[i];
    int right = 0;
    right |= __fadd_rd(a[i], b[i]) <= exact_sum && exact_sum <= __fadd_ru(a[i], b[i]);
    right |= (__fmul_rd(a[i], b[i]) <= exact_product && exact_product <= __fmul_ru(a[i], b[i])) << 1;
    right |= (fabs((double)__fmul_rz(a[i], b[i])) <= fabs(exact_product)) << 2;
    float quotient_down = __fdiv_rd(b[i], 3.0f), quotient_up = __fdiv_ru(b[i], 3.0f);
    right |= ((double)quotient_down * 3 <= b[i] && b[i] <= (double)quotient_up * 3) << 3;
    y[i] = right;
}
