// cuda::atomic and cuda::atomic_ref with orders and scopes.
// launch: grid 4 block 32
// inout count: u32 2 = 0
// inout y: i32 1 = 0
// expect count = 128 1
// expect y = 8128
#include <cuda/atomic>
extern "C" __global__ void atomics(unsigned *count, int *y) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*count), flag(count[1]);
    cuda::atomic_ref<int, cuda::thread_scope_system> total(*y);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    counter.fetch_add(1, cuda::memory_order_relaxed);
    total.fetch_add(i, cuda::memory_order_acq_rel);
    unsigned expected = 0;
    flag.compare_exchange_strong(expected, 1u, cuda::memory_order_seq_cst);
}
