// It gives the lock back in between.
// launch: grid 1 block 1
// inout lock: i32 1 = 0
// out y: i32 1
// expect y = 1
extern "C" __global__ void once(int *lock, int *y) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    atomicExch(lock, 0);
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    y[0] = 1;
    atomicExch(lock, 0);
}
