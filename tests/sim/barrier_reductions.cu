// __syncthreads_count, _and and _or.
// launch: grid 1 block 128
// in a: i32 128 = i % 10
// out y: i32 384
// expect y[i] = i % 3 == 0 ? 39 : i % 3 == 1 ? 0 : 1
extern "C" __global__ void counts(const int *a, int *y) {
    int i = threadIdx.x;
    y[3 * i] = __syncthreads_count(a[i] < 3);
    y[3 * i + 1] = __syncthreads_and(a[i] < 9);
    y[3 * i + 2] = __syncthreads_or(a[i] == 9);
}
