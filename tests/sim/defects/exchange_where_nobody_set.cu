// A lock in shared memory is taken by an exchange, which tells what was there: nobody set it free first.
// launch: grid 1 block 64
// out y: i32 1
// finding: I001
// names: lock
extern "C" __global__ void take(int *y) {
    __shared__ int lock;
    if (threadIdx.x == 33) {
        if (atomicExch(&lock, 1) == 0) //~ I001
            *y = 1;
        else
            *y = 2;
    }
}
