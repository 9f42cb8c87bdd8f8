// A counter without a start decides how a loop goes on.
// launch: grid 1 block 32
// arg n: i32 = 40
// out y: i32 32
// finding: I002
extern "C" __global__ void count(int n, int *y) {
    int found;
    for (int i = threadIdx.x; i < n; i += 32) {
        found += i;
        if (found > 100) break; //~ I002
    }
    y[threadIdx.x] = 1;
}
