// All lanes of a warp add to one volatile word.
// launch: grid 1 block 32
// inout count: i32 1 = 0
// finding: R002
extern "C" __global__ void count_threads(volatile int *count) {
    *count += 1; //~ R002
}
