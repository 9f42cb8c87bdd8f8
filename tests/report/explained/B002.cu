// launch: grid 1 block 2
// inout lock: i32 1 = 0
// inout sum: i32 1 = 0
// expect sum[i] = 1
extern "C" __global__ void add(int *lock, int *sum) {
#ifdef FIXED
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    __syncthreads();
#else
    while (atomicCAS(lock, 0, 1) != 0) {}
    __syncthreads();
    *sum += 1;
    atomicExch(lock, 0);
#endif
}
