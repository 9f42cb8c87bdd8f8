// Sixteen bytes are copied at once, seven of them padding.
// launch: grid 1 block 32
// inout y: i32 32 = 0
// expect y[i] = (31 - i) * ((31 - i) % 2)
struct __align__(16) Cell { int left, right; char kind; };
extern "C" __global__ void cells(int *y) {
    __shared__ Cell cells[32];
    __shared__ int4 copy[32];
    int t = threadIdx.x;
    cells[t].left = t;
    cells[t].right = t + 1;
    cells[t].kind = t % 2;
    __syncthreads();
    copy[t] = *(int4 *)&cells[31 - t];
    __syncthreads();
    const Cell *mine = (const Cell *)&copy[t];
    if (mine->kind == 1) atomicAdd(&y[t], mine->left);
}
