// What a place is linked to counts only once the swap has found the same.
// launch: grid 4 block 64
// inout head: i32 1 = 0 - 1
// out next: i32 256
// inout count: i32 1 = 0
// expect count[0] = 256
extern "C" __global__ void push(int *head, int *next, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, old;
    do {
        old = __ldcg(head);
        next[i] = old;
        __threadfence();
    } while (atomicCAS(head, old, i) != old);
    atomicAdd(count, 1);
}
