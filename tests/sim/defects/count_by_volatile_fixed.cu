// Blocks count with an atomic; one of them watches the counter.
// launch: grid 8 block 32
// inout count: i32 1 = 0
// expect count = 8
extern "C" __global__ void count_blocks(volatile int *count) {
    if (threadIdx.x == 0) atomicAdd((int *)count, 1);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        while (*count < 4) {
        }
    }
}
