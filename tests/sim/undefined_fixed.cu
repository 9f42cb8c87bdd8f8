// Variables that get their value late, or on the way that is taken, but before they are used.
// launch: grid 1 block 64
// arg n: i32 = 40
// out y: i32 64
// expect y[i] = i < 8 ? i * 3 + 48 : i < 24 ? i * 2 + 16 : i < 40 ? i : -1
extern "C" __global__ void late(int n, int *y) {
    int best, seen;
    bool any = false;
    for (int i = threadIdx.x; i < n; i += 16) {
        if (!any) {
            best = i;
            any = true;
        } else {
            best += i;
        }
    }
    if (any) seen = best;
    y[threadIdx.x] = any ? seen : -1;
}
