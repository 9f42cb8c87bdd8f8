// Every thread adds to one counter.
//
// launch: grid 4 block 64
// in a: i32 256 = i
// inout count: i32 1 = 0
// expect count = 32640
// advice: P007
extern "C" __global__ void counter_of_everybody(const int *a, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(count, a[i]); //~ P007
}
