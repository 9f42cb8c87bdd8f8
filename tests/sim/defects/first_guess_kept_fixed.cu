// A ticket is drawn by compare-and-swap, and is what the swap has found.
// launch: grid 4 block 64
// inout tickets: i32 1 = 0
// out y: i32 256
// expect tickets[i] = 256
extern "C" __global__ void draw(int *tickets, int *y) {
    int seen = *tickets, found;
    while ((found = atomicCAS(tickets, seen, seen + 1)) != seen) {
        seen = found;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
