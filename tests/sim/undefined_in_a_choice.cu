// Whether the best so far was found is asked first, and then what it is.
// launch: grid 1 block 64
// arg n: i32 = 3
// in x: i32 64 = i * 7 % 64
// out y: i32 64
// expect y[i] = max(i * 7 % 64 > 20 ? i * 7 % 64 : -1, max((i + 1) % 64 * 7 % 64 > 20 ? (i + 1) % 64 * 7 % 64 : -1, (i + 2) % 64 * 7 % 64 > 20 ? (i + 2) % 64 * 7 % 64 : -1))
extern "C" __global__ void best(int n, const int *x, int *y) {
    int best;
    bool any = false;
    for (int i = 0; i < n; i++) {
        int value = x[(threadIdx.x + i) % 64];
        if (value > 20 && (!any || best < value)) {
            best = value;
            any = true;
        }
    }
    y[threadIdx.x] = any ? best : -1;
}
