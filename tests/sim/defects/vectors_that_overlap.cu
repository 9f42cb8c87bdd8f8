// A thread's four elements end where the next thread's begin, but for one.
// launch: grid 1 block 16
// inout y: i32 68 = 0
// finding: R002
extern "C" __global__ void fill(int *y) {
    int t = threadIdx.x;
    ((int4 *)y)[t] = make_int4(t, t, t, t); //~ R002
    y[4 * t + 4] = 100 + t; //~ R002
}
