// Constant memory through a pointer that forgot it is constant.
// launch: grid 1 block 4
// out y: i32 4
// finding: M004
extern "C" __constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void change(int *y) {
    int *p;
    asm volatile("{ .reg .u64 t; mov.u64 t, table; cvta.const.u64 %0, t; }" : "=l"(p));
    y[threadIdx.x] = table[threadIdx.x];
    p[threadIdx.x] = 7; //~ M004
}
