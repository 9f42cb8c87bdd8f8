// The thread whose compare-and-swap marks the node reaches it.
// launch: grid 1 block 64
// in next: i32 64 = i / 2
// inout level: i32 32 = -1
// inout reached: i32 1 = 0
// expect level[i] = 1
// expect reached = 32
extern "C" __global__ void visit(const int *next, int *level, int *reached) {
    int node = next[threadIdx.x];
    if (atomicCAS(&level[node], -1, 1) < 0) {
        atomicAdd(reached, 1);
    }
}
