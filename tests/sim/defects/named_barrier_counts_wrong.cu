// The barrier wants 96 threads where 64 come.
// launch: grid 1 block 64
// out y: i32 64
// finding: B002
extern "C" __global__ void wrong(int *y) {
    asm volatile("bar.sync 1, 96;");
    y[threadIdx.x] = 1;
}
