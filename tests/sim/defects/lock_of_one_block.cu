// Atomics for the block alone are no lock between blocks.
// launch: grid 3 block 1
// inout lock: i32 1 = 0
// inout total: i32 1 = 0
// finding: R002
// finding: R002
extern "C" __global__ void locked(int *lock, int *total) {
    while (atomicCAS_block(lock, 0, 1) != 0) { //~ R002
    }
    __threadfence();
    *total += blockIdx.x; //~ R002
    __threadfence();
    atomicExch_block(lock, 0); //~ R002
}
