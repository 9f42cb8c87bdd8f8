// Threads that reach a node test and mark it without atomics: it is reached twice.
// launch: grid 1 block 64
// in next: i32 64 = i / 2
// inout level: i32 32 = -1
// inout reached: i32 1 = 0
// finding: R002
extern "C" __global__ void visit(const int *next, int *level, int *reached) {
    int node = next[threadIdx.x];
    if (level[node] < 0) { //~ R002
        level[node] = 1; //~ R002
        atomicAdd(reached, 1);
    }
}
