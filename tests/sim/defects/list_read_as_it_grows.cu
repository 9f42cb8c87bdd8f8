// A block works off a list that another fills: the count says what is there, but orders nothing.
// launch: grid 2 block 1
// inout count: i32 1 = 0
// inout list: i32 8 = 0
// out y: i32 8
// finding: R002
extern "C" __global__ void work(int *count, int *list, int *y) {
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; k++) {
            list[k] = k * k; //~ R002
            atomicAdd(count, 1);
        }
    } else {
        for (int k = 0; k < 8; k++) {
            while (atomicAdd(count, 0) <= k) {
            }
            y[k] = list[k]; //~ R002
        }
    }
}
