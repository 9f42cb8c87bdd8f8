// A structure in global memory is copied, with a field that nobody set or uses.
// launch: grid 1 block 32
// out nodes: i32 96
// out copies: i32 96
// inout y: i32 32 = 0
// expect y[i] = 31 - i > 5 ? 1 : 0
struct Node { int key, left, right; };
extern "C" __global__ void clone(Node *nodes, Node *copies, int *y) {
    int t = threadIdx.x;
    nodes[t].key = t;
    nodes[t].left = t - 1;
    __syncthreads();
    copies[31 - t] = nodes[t];
    __syncthreads();
    if (copies[t].key > 5) atomicAdd(&y[t], 1);
}
