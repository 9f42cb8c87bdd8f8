// Recursive device functions: Fibonacci and Ackermann.
// launch: grid 1 block 32
// out y: i32 64
// expect y[i] = i % 2 == 0 ? int(round(pow(1.618033988749895, i / 2 % 16) / sqrt(5))) : i / 2 % 8 * 2 + 3
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) {
        return n + 1;
    }
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
extern "C" __global__ void recurse(int *y) {
    int i = threadIdx.x;
    y[2 * i] = fibonacci(i % 16);
    y[2 * i + 1] = ackermann(2, i % 8);
}
