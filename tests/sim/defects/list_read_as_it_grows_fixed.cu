// A block works off a list that another fills: fences bring the items before the count.
// launch: grid 2 block 1
// inout count: i32 1 = 0
// inout list: i32 8 = 0
// out y: i32 8
// expect y[i] = i * i
extern "C" __global__ void work(int *count, int *list, int *y) {
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; k++) {
            list[k] = k * k;
            __threadfence();
            atomicAdd(count, 1);
        }
    } else {
        for (int k = 0; k < 8; k++) {
            while (atomicAdd(count, 0) <= k) {
            }
            __threadfence();
            y[k] = list[k];
        }
    }
}
