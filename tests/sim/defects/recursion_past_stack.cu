// launch: 1 32
// arg n: i32 = 40
// out y: i32 32
// finding: T003

// Each call keeps 128 bytes: 40 of them need more than the 1024 bytes that a thread's stack has.
__device__ int walk(int n, const int *from) {
    int path[32];
    for (int i = 0; i < 32; i++) path[i] = from == nullptr ? i : from[(i + n) % 32];
    return n == 0 ? path[threadIdx.x] : walk(n - 1, path) + path[0]; //~ T003
}

__global__ void k(int *y, int n) { y[threadIdx.x] = walk(n, nullptr); }
