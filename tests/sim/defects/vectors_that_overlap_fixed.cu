// A thread's four elements end where the next thread's begin.
// launch: grid 1 block 16
// inout y: i32 68 = 0
// expect y[i] = i / 4 % 17 - i / 64 * 16
extern "C" __global__ void fill(int *y) {
    int t = threadIdx.x;
    ((int4 *)y)[t] = make_int4(t, t, t, t);
}
