// A table of 64 places has no place for the last of 100 keys, which are looked for round and round.
// launch: grid 2 block 64
// inout t: i32 64 = -1
// finding: S001
extern "C" __global__ void insert(int *t) {
    int key = blockIdx.x * blockDim.x + threadIdx.x;
    if (key >= 100) {
        return;
    }
    int place = key % 64;
    while (true) { //~ S001
        int old = atomicCAS(&t[place], -1, key);
        if (old == -1 || old == key) {
            return;
        }
        place = (place + 1) % 64;
    }
}
