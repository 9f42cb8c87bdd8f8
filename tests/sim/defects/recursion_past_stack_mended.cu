// launch: 1 32
// arg n: i32 = 3
// out y: i32 32

// Each call keeps 128 bytes: 4 of them fit the 1024 bytes that a stack has.
__device__ int walk(int n, const int *from) {
    int path[32];
    for (int i = 0; i < 32; i++) path[i] = from == nullptr ? i : from[(i + n) % 32];
    return n == 0 ? path[threadIdx.x] : walk(n - 1, path) + path[0];
}

__global__ void k(int *y, int n) { y[threadIdx.x] = walk(n, nullptr); }
