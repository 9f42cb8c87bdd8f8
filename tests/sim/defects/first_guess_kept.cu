// A ticket is drawn by compare-and-swap, and what was read at first is taken for it: the swap may have found another.
// launch: grid 4 block 64
// inout tickets: i32 1 = 0
// out y: i32 256
// finding: R002
extern "C" __global__ void draw(int *tickets, int *y) {
    int first = *tickets, seen = first, found; //~ R002
    while ((found = atomicCAS(tickets, seen, seen + 1)) != seen) { //~ R002
        seen = found;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = first;
}
