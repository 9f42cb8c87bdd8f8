// Threads that find something take the next slot by an atomic.
// launch: grid 2 block 64
// in a: i32 128 = i
// inout count: i32 1 = 0
// inout list: i32 128 = 0
// expect count = 64
extern "C" __global__ void compact(const int *a, int *count, int *list) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] % 2 == 0) {
        int slot = atomicAdd(count, 1);
        list[slot] = a[i];
    }
}
