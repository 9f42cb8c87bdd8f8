// Calls through a table of function pointers, a different one in each lane.
// launch: grid 1 block 64
// in a: i32 64 = i - 20
// out y: i32 64
// expect y[i] = i % 4 == 0 ? a[i] + 5 : i % 4 == 1 ? a[i] * 5 : i % 4 == 2 ? a[i] - 5 : (a[i] < 0 ? -a[i] : a[i])
typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int magnitude(int a, int) { return a < 0 ? -a : a; }
__device__ Operation operations[4] = {add, times, minus, magnitude};
extern "C" __global__ void pointers(const int *a, int *y) {
    int i = threadIdx.x;
    y[i] = operations[i % 4](a[i], 5);
}
