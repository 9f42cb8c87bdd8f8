// A running sum over blocks: one word holds the flag and the value, so each reader sees both or neither.
// launch: grid 5 block 32
// inout state: i32 5 = 0
// out y: i32 5
// expect y = 1 2 3 4 5
extern "C" __global__ void chain(volatile int *state, int *y) {
    if (threadIdx.x == 0) {
        int sum = 1;
        if (blockIdx.x > 0) {
            int seen;
            while (((seen = state[blockIdx.x - 1]) & 1) == 0) {
            }
            sum += seen >> 1;
        }
        state[blockIdx.x] = sum << 1 | 1;
        y[blockIdx.x] = sum;
    }
}
