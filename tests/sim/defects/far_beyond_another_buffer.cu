// An index that leads past the array and past the next one: it is still this array's.
// launch: grid 1 block 32
// out y: i32 32
// out z: i32 32
// finding: M001
// names: y
extern "C" __global__ void far(int *y, int *z) {
    long long i = threadIdx.x;
    z[i] = 0;
    y[i + 270000000] = 1; //~ M001
}
