// A kernel parameter indexed at run time and through its address (__grid_constant__).
// launch: grid 1 block 32
// arg table: struct i32=10 i32=20 i32=30 i32=40 f64=2.5
// out y: f64 64
// expect y[i] = i % 2 == 0 ? (i/2 % 4 + 1) * 10 : ((3 - i/2 % 4) + 1) * 10 + 2.5
struct Table {
    int values[4];
    double scale;
};
__device__ __noinline__ double pick(const Table *table, int k) { return table->values[3 - k] + table->scale; }
extern "C" __global__ void parameter(const __grid_constant__ Table table, double *y) {
    int i = threadIdx.x;
    y[2 * i] = table.values[i % 4];
    y[2 * i + 1] = pick(&table, i % 4);
}
