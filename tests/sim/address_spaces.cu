// Which space a generic pointer is in, and addresses within shared memory.
// launch: grid 1 block 32
// in a: i32 32 = 0
// out y: i32 32
// expect y[i] = 2 + 8 + (i * 4 << 4)
extern "C" __global__ void spaces(const int *a, int *y) {
    __shared__ int values[32];
    int i = threadIdx.x, own[2];
    own[i % 2] = i;
    values[i] = own[i % 2];
    int result = __isGlobal(values) | __isShared(values) << 1 | __isShared(a) << 2 | __isGlobal(a) << 3;
    size_t first = __cvta_generic_to_shared(values), mine = __cvta_generic_to_shared(&values[i]);
    y[i] = result + ((int)(mine - first) << 4) + (__isLocal(own) ? 0 : 1);
}
