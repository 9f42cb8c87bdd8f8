// A structure is copied whole, and only fields that were set are used.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = (31 - i) * 3
struct Item { int key, value, rank; };
extern "C" __global__ void take(int *y) {
    __shared__ Item items[32], sorted[32];
    int t = threadIdx.x;
    items[t].key = t;
    items[t].value = 2 * t;
    __syncthreads();
    sorted[31 - t] = items[t];
    __syncthreads();
    y[t] = sorted[t].value + sorted[t].key;
}
