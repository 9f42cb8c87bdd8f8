// A flag stops the search of all blocks; the rough counts are read whether or not it was raised.
// launch: grid 8 block 1
// inout tried: i32 8 = 0
// inout stop: i32 1 = 0
// out rough: i32 8
// expect stop = 1
extern "C" __global__ void search(volatile int *tried, volatile int *stop, int *rough) {
    for (int i = 0; i < 100; i++) {
        if (*stop) break;
        tried[blockIdx.x] = i + 1;
        if (blockIdx.x * 100 + i == 50) *stop = 1;
    }
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += tried[b];
    rough[blockIdx.x] = sum;
}
