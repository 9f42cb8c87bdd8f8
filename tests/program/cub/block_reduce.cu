// Sums and maxima of a block, by each algorithm of CUB, in one dimension and in two.
#include <cub/block/block_reduce.cuh>
#include <cstdio>

struct Longest {
    __device__ int2 operator()(const int2 &a, const int2 &b) const { return b.y > a.y ? b : a; }
};

template <cub::BlockReduceAlgorithm ALGORITHM>
__global__ void sums(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 96, ALGORITHM>;
    __shared__ typename Reduce::TempStorage storage;
    int mine[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    int sum = Reduce(storage).Sum(mine);
    __syncthreads();
    int most = Reduce(storage).Reduce(mine[0], cub::Max());
    __syncthreads();
    int of_some = Reduce(storage).Sum(mine[1], 41);
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = most;
        out[2] = of_some;
    }
}

__global__ void places(const float *in, int2 *out, float *total) {
    using Reduce = cub::BlockReduce<int2, 8, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8>;
    using Floats = cub::BlockReduce<float, 8, cub::BLOCK_REDUCE_RAKING, 8>;
    __shared__ union {
        Reduce::TempStorage pairs;
        Floats::TempStorage floats;
    } storage;
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    int2 most = Reduce(storage.pairs).Reduce(make_int2(i, int(in[i])), Longest());
    __syncthreads();
    float sum = Floats(storage.floats).Sum(in[i]);
    if (i == 0) {
        *out = most;
        *total = sum;
    }
}

int main() {
    const int n = 192;
    int *in, *out;
    float *x, *total;
    int2 *most;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, 9 * sizeof(int));
    cudaMallocManaged(&x, 64 * sizeof(float));
    cudaMallocManaged(&total, sizeof(float));
    cudaMallocManaged(&most, sizeof(int2));
    for (int i = 0; i < n; i++) in[i] = i * 37 % 101;
    for (int i = 0; i < 64; i++) x[i] = i * 29 % 64;
    sums<cub::BLOCK_REDUCE_RAKING><<<1, 96>>>(in, out);
    sums<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<1, 96>>>(in, out + 3);
    sums<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, 96>>>(in, out + 6);
    places<<<1, dim3(8, 8)>>>(x, most, total);
    cudaDeviceSynchronize();
    int sum = 0, largest = 0, some = 0;
    for (int i = 0; i < n; i++) sum += in[i];
    for (int i = 0; i < n; i += 2) largest = in[i] > largest ? in[i] : largest;
    for (int i = 0; i < 41; i++) some += in[2 * i + 1];
    printf("%d %d %d\n", sum, largest, some);
    for (int i = 0; i < 9; i += 3) printf("%d %d %d\n", out[i], out[i + 1], out[i + 2]);
    printf("%d at %d, %.0f in all\n", most->y, most->x, *total);
    cudaFree(in), cudaFree(out), cudaFree(x), cudaFree(total), cudaFree(most);
}
