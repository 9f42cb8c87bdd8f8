// Loops with break, continue and goto.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = sum(k, 0, min(i, 20), k % 3 == 1 ? 0 : k) + (i > 40 ? 500 : 0)
extern "C" __global__ void loops(const int *a, int *y) {
    int i = threadIdx.x, total = 0;
    for (int k = 0;; k++) {
        if (k >= a[i]) {
            break;
        }
        if (k == 20) {
            if (a[i] > 40) {
                goto far;
            }
            break;
        }
        if (k % 3 == 1) {
            continue;
        }
        total += k;
    }
    y[i] = total;
    return;
far:
    y[i] = total + 500;
}
