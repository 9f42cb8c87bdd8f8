// A stack of a thread's own is read one too deep, and a loop goes on by what it finds.
// launch: grid 1 block 32
// arg n: i32 = 3
// inout y: i32 32 = 0
// finding: I001
extern "C" __global__ void unwind(int n, int *y) {
    int stack[16];
    int top = 0;
    for (int i = 0; i < n; i++) stack[top++] = i + (int)threadIdx.x;
    int last = stack[top % 16]; //~ I001
    if (last > 5) atomicAdd(&y[threadIdx.x], 1);
}
