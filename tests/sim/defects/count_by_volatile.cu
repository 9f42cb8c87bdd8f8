// Blocks count in a volatile word: each reads it, adds one and writes it back.
// launch: grid 8 block 32
// inout count: i32 1 = 0
// finding: R002
// note: Both read the value and write back what they made of it, or chose for it, and nothing makes that one step: of two that come at once, one is lost. volatile does not help; atomicAdd(), atomicMax() and their kin do.
extern "C" __global__ void count_blocks(volatile int *count) {
    if (threadIdx.x == 0) *count = *count + 1; //~ R002
}
