// Each lane of a warp adds to a volatile word of its own.
// launch: grid 1 block 32
// inout count: i32 32 = i
// expect count[i] = i + 1
extern "C" __global__ void count_threads(volatile int *count) {
    count[threadIdx.x] += 1;
}
