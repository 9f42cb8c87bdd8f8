// The thread that draws the last ticket resets the counter for the next launch.
// launch: grid 8 block 1
// inout count: u32 1 = 0
// out y: i32 1
// expect count = 0
// expect y = 1
extern "C" __global__ void draw(unsigned *count, int *y) {
    unsigned ticket = atomicAdd(count, 1u);
    if (ticket == gridDim.x - 1) {
        *count = 0;
        *y = 1;
    }
}
