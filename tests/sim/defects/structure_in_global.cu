// A structure in global memory is copied, and the field that nobody set is used behind the copy.
// launch: grid 1 block 32
// out nodes: i32 96
// out copies: i32 96
// inout y: i32 32 = 0
// finding: I001
struct Node { int key, left, right; };
extern "C" __global__ void clone(Node *nodes, Node *copies, int *y) {
    int t = threadIdx.x;
    nodes[t].key = t;
    nodes[t].left = t - 1;
    __syncthreads();
    copies[31 - t] = nodes[t]; //~ I001
    __syncthreads();
    if (copies[t].right > 0) atomicAdd(&y[t], 1);
}
