// One thread takes places for its block, and the others read which before they are there: what they
// find is no place in the array.
// launch: grid 2 block 64
// inout next: i32 1 = 0
// out y: i32 128
// finding: R001
// finding: M001
// names: first
// note: The address is computed from what line 13 reads in a race (R001): fix that first.
extern "C" __global__ void deal(int *next, int *y) {
    __shared__ int first;
    if (threadIdx.x == 63) first = atomicAdd(next, 64); //~ R001
    int place = first + threadIdx.x; //~ R001
    y[place] = 1; //~ M001
}
