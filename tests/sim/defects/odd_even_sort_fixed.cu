// Neighbours are put in order in turns, with a barrier between the turns.
// launch: grid 1 block 32
// inout x: i32 64 = 63 - i
// expect x[i] = i
extern "C" __global__ void sort(int *x) {
    for (int turn = 0; turn < 64; turn++) {
        int i = 2 * threadIdx.x + turn % 2;
        if (i + 1 < 64 && x[i] > x[i + 1]) {
            int a = x[i], b = x[i + 1];
            x[i] = b;
            x[i + 1] = a;
        }
        __syncthreads();
    }
}
