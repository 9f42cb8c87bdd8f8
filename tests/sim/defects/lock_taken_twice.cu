// A thread waits for the lock that it holds.
// launch: grid 1 block 1
// inout lock: i32 1 = 0
// out y: i32 1
// finding: S001
extern "C" __global__ void twice(int *lock, int *y) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    while (atomicCAS(lock, 0, 1) != 0) { //~ S001
    }
    y[0] = 1;
}
