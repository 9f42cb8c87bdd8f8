// Branches within branches and loops of different lengths in each lane.
// launch: grid 2 block 64
// in a: i32 128 = i * 37 % 101
// out y: i32 128
// expect y[i] = a[i] % 2 == 0 ? (a[i] % 3 == 0 ? sum(k, 0, a[i], k) : a[i] % 5 == 0 ? -a[i] : a[i] * 2) : (a[i] > 50 ? sum(k, 0, a[i] - 50, k * k) : 7)
extern "C" __global__ void nest(const int *a, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = a[i], result = 0;
    if (value % 2 == 0) {
        if (value % 3 == 0) {
            for (int k = 0; k < value; k++) {
                result += k;
            }
        } else if (value % 5 == 0) {
            result = -value;
        } else {
            result = value * 2;
        }
    } else {
        if (value > 50) {
            int k = 0;
            do {
                result += k * k;
            } while (++k < value - 50);
        } else {
            result = 7;
        }
    }
    y[i] = result;
}
