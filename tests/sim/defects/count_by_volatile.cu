// Blocks count in a volatile word: each reads it, adds one and writes it back.
// launch: grid 8 block 32
// inout count: i32 1 = 0
// finding: R002
// note: Both read the value and write back one computed from it, or chosen by it: if both read before either writes, one of the two is lost. volatile orders nothing; atomicAdd(), atomicMax() and the like read and write in one step.
extern "C" __global__ void count_blocks(volatile int *count) {
    if (threadIdx.x == 0) *count = *count + 1; //~ R002
}
