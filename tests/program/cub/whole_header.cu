// CUB's parts for blocks and warps by way of the header for all of it, beside Thrust.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <cstdio>

const int THREADS = 128;

// The sum of each block's elements; its first warp adds up the first 32 once more.
__global__ void sums(const int *in, int *out, int *first) {
    using Block = cub::BlockReduce<int, THREADS>;
    using Warp = cub::WarpReduce<int>;
    __shared__ typename Block::TempStorage block;
    __shared__ typename Warp::TempStorage warp;
    cub::CountingInputIterator<int> places(blockIdx.x * THREADS);
    int mine = in[places[threadIdx.x]];
    int sum = Block(block).Sum(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
    if (threadIdx.x < 32) {
        int part = Warp(warp).Sum(cub::ThreadLoad<cub::LOAD_LDG>(in + places[threadIdx.x]));
        if (cub::LaneId() == 0) first[blockIdx.x] = part;
    }
}

int main() {
    const int blocks = 4, n = blocks * THREADS;
    thrust::device_vector<int> in(n), out(blocks), first(blocks);
    for (int i = 0; i < n; i++) in[i] = i * 7 % 41;
    sums<<<blocks, THREADS>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()),
                              thrust::raw_pointer_cast(first.data()));
    CubDebugExit(cudaDeviceSynchronize());
    printf("%d %d\n", thrust::reduce(in.begin(), in.end()), thrust::reduce(out.begin(), out.end()));
    int wanted = 0;
    for (int i = 0; i < 32; i++) wanted += in[THREADS + i];
    printf("%d %d\n", wanted, int(first[1]));
}
