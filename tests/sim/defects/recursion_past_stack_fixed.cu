// Each call keeps 128 bytes: 4 of them fit the 1024 bytes that a thread's stack has.
// launch: grid 1 block 32
// out y: i32 32
// arg n: i32 = 3
// expect y[i] = 3
__device__ __noinline__ int walk(int n, volatile const int *from) {
    int path[32];
    for (int i = 0; i < 32; i++) {
        path[i] = from == nullptr ? i : from[(i + n) % 32];
    }
    return n == 0 ? path[0] : walk(n - 1, path);
}
extern "C" __global__ void k(int *y, int n) {
    y[threadIdx.x] = walk(n, nullptr);
}
