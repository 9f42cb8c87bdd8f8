// A thread that draws a ticket in the middle resets the counter, while others draw theirs.
// launch: grid 8 block 1
// inout count: u32 1 = 0
// finding: R002
extern "C" __global__ void draw(unsigned *count) {
    unsigned ticket = atomicAdd(count, 1u);
    if (ticket == 3) {
        *count = 0; //~ R002
    }
}
