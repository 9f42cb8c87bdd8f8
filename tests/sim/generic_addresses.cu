// One function that reads through pointers to global, shared, constant and local memory.
// launch: grid 1 block 32
// in a: i32 32 = i + 100
// out y: i32 128
// expect y[i] = i % 4 == 0 ? i/4 + 100 : i % 4 == 1 ? (31 - i/4) * 3 : i % 4 == 2 ? 77 : i/4 * 9
__constant__ int constant_value = 77;
__device__ __noinline__ int follow(const int *pointer) { return *pointer; }
extern "C" __global__ void follow_all(const int *a, int *y) {
    __shared__ int shared_values[32];
    int i = threadIdx.x, own = i * 9;
    shared_values[31 - i] = i * 3;
    __syncthreads();
    const int *pointers[4] = {&a[i], &shared_values[i], &constant_value, &own};
    for (int k = 0; k < 4; k++) {
        y[4 * i + k] = follow(pointers[(k + i) % 4]);
    }
    int turned[4];
    for (int k = 0; k < 4; k++) {
        turned[(k + i) % 4] = y[4 * i + k];
    }
    for (int k = 0; k < 4; k++) {
        y[4 * i + k] = turned[k];
    }
}
