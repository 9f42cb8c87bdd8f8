// Boxes that are added to a tensor, or of which the larger or the smaller stay.
#include <cstdio>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void make(unsigned long long *bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void announce(unsigned long long *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, unsigned long long *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory");
}

__device__ void store(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 ::"l"(map), "r"(x), "r"(y), "r"(shared_address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ void wait(unsigned long long *bar, int parity) {
    asm volatile("{ .reg .pred p;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
                 "@!p bra again; }" ::"r"(shared_address(bar)), "r"(parity) : "memory");
}

template <int OP> __global__ void reduce(const __grid_constant__ CUtensorMap map, const void *from, int words) {
    __shared__ alignas(128) unsigned box[32];
    if (threadIdx.x < words) box[threadIdx.x] = ((const unsigned *)from)[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
#define REDUCE(name)                                                                                                   \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." name ".tile.bulk_group [%0, {%1, %2}], [%3];"   \
                 ::"l"(&map), "r"(0), "r"(blockIdx.x), "r"(shared_address(box)) : "memory")
        if (OP == 0) REDUCE("add");
        if (OP == 1) REDUCE("min");
        if (OP == 2) REDUCE("max");
        if (OP == 3) REDUCE("and");
        if (OP == 4) REDUCE("xor");
        if (OP == 5) REDUCE("inc");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        wait_for_stores();
    }
}

// Rows of 3, two of them; blocks 0 and 1 meet in row 1.
template <typename T> void show(const char *what, CUtensorMapDataType type, int op) {
    const int width = 16 / sizeof(T);
    T x[3][width], box[2][width];
    for (int i = 0; i < 3 * width; i++) x[0][i] = (T)(i * 3 % 7);
    for (int i = 0; i < 2 * width; i++) box[0][i] = (T)(i * 5 % 4);
    T *d_x, *d_box;
    cudaMalloc(&d_x, sizeof(x));
    cudaMalloc(&d_box, sizeof(box));
    cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
    cudaMemcpy(d_box, box, sizeof(box), cudaMemcpyHostToDevice);
    // The last element of each row is outside, but 16 bytes are one piece.
    const cuuint64_t extents[] = {(cuuint64_t)width - (width > 2), 3}, strides[] = {16};
    const cuuint32_t boxes[] = {(cuuint32_t)width, 2}, steps[] = {1, 1};
    CUtensorMap map;
    CUresult made = cuTensorMapEncodeTiled(&map, type, 2, d_x, extents, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (op == 0) reduce<0><<<2, 32>>>(map, d_box, 8);
    if (op == 1) reduce<1><<<2, 32>>>(map, d_box, 8);
    if (op == 2) reduce<2><<<2, 32>>>(map, d_box, 8);
    if (op == 3) reduce<3><<<2, 32>>>(map, d_box, 8);
    if (op == 4) reduce<4><<<2, 32>>>(map, d_box, 8);
    if (op == 5) reduce<5><<<2, 32>>>(map, d_box, 8);
    cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
    printf("%s %d %s:", what, made, cudaGetErrorName(cudaGetLastError()));
    for (int i = 0; i < 3 * width; i++) printf(" %g", (double)(float)x[0][i]);
    printf("\n");
    cudaFree(d_x);
    cudaFree(d_box);
}

int main() {
    show<int>("add s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 0);
    show<float>("add f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 0);
    show<double>("add f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 0);
    show<half>("add f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 0);
    show<__nv_bfloat16>("add bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 0);
    show<unsigned long long>("add u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 0);
    show<int>("min s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 1);
    show<half>("max f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2);
    show<long long>("max s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 2);
    show<unsigned>("and u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 3);
    show<unsigned>("xor u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4);
    show<unsigned>("inc u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 5);
}
