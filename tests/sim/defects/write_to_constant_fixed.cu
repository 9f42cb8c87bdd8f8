// The table is copied to memory that may be written.
// launch: grid 1 block 4
// out y: i32 4
// expect y[i] = i + 8
extern "C" __constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void change(int *y) {
    int mine = table[threadIdx.x];
    mine += 7;
    y[threadIdx.x] = mine;
}
