// A value is stored before anything is added to it.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i + 1
extern "C" __global__ void add(int *y) {
    y[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] += 1;
}
