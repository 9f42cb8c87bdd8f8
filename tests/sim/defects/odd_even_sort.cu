// Neighbours are put in order in turns, without waiting between the turns.
// launch: grid 1 block 32
// inout x: i32 64 = 63 - i
// finding: R002
// finding: R002
// finding: R002
extern "C" __global__ void sort(int *x) {
    for (int turn = 0; turn < 64; turn++) {
        int i = 2 * threadIdx.x + turn % 2;
        if (i + 1 < 64 && x[i] > x[i + 1]) { //~ R002
            int a = x[i], b = x[i + 1];
            x[i] = b; //~ R002
            x[i + 1] = a; //~ R002
        }
    }
}
