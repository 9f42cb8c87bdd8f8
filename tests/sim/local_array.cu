// A thread's own array, indexed at run time: local memory.
// launch: grid 1 block 64
// in a: i32 64 = i * 13 % 17
// out y: i32 64
// expect y[i] = sum(k, 0, 16, k == 3 ? 0 : k * (k ^ (a[i] & 15))) + 100 * (a[i] & 15)
extern "C" __global__ void local(const int *a, int *y) {
    int i = threadIdx.x;
    int values[16];
    for (int k = 0; k < 16; k++) {
        values[(k ^ a[i]) & 15] = k;
    }
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += k == 3 ? 0 : k * values[k];
    }
    int *chosen = &values[a[i] & 15];
    y[i] = sum + 100 * (chosen - values);
}
