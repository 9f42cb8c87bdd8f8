// Who comes later links to what stood there when it looked.
// launch: grid 4 block 64
// inout head: i32 1 = 0 - 1
// out next: i32 256
// finding: R002
extern "C" __global__ void push(int *head, int *next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = __ldcg(head); //~ R002
    __threadfence();
    atomicExch(head, i); //~ R002
}
