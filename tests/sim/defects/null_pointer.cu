// A pointer that was never set.
// launch: grid 1 block 4
// arg p: i64 = 0
// finding: M003
extern "C" __global__ void follow(int *p) {
    p[threadIdx.x] = 1; //~ M003
}
