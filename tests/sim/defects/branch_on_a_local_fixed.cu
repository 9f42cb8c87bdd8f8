// A stack of a thread's own, read at its top.
// launch: grid 1 block 32
// arg n: i32 = 3
// inout y: i32 32 = 0
// expect y[i] = i + 2 > 5 ? 1 : 0
extern "C" __global__ void unwind(int n, int *y) {
    int stack[16];
    int top = 0;
    for (int i = 0; i < n; i++) stack[top++] = i + (int)threadIdx.x;
    int last = stack[(top - 1) % 16];
    if (last > 5) atomicAdd(&y[threadIdx.x], 1);
}
