// The consumers of a pipeline wait for a stage that its producers commit.
// arch: 80
// launch: grid 1 block 64
// in a: i32 32 = i
// out y: i32 32
// expect y[i] = 31 - i
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void stages(const int *a, int *y) {
    using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ State state;
    __shared__ int stage[32];
    auto block = cooperative_groups::this_thread_block();
    bool produces = threadIdx.x < 32;
    auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    int t = threadIdx.x % 32;
    if (produces) {
        pipeline.producer_acquire();
        stage[t] = a[t];
        pipeline.producer_commit();
    } else {
        pipeline.consumer_wait();
        y[t] = stage[31 - t];
        pipeline.consumer_release();
    }
}
