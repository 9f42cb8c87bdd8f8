// __trap ends the launch.
// launch: grid 1 block 32
// in a: i32 32 = i
// finding: T001
extern "C" __global__ void stop(const int *a) {
    if (a[threadIdx.x] == 31) {
        __trap();
    }
}
