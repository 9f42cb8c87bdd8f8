// One copy brings a box to several blocks of a cluster, each with its own barrier.
#include <cstdio>
#include <cuda.h>
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

// A map of `rows` rows of `columns` floats, and boxes of `high` rows of `wide`.
static CUtensorMap map_of(float *x, int columns, int rows, int wide, int high) {
    CUtensorMap map;
    const cuuint64_t extents[] = {(cuuint64_t)columns, (cuuint64_t)rows};
    const cuuint64_t strides[] = {(columns * sizeof(float) + 15) / 16 * 16};
    const cuuint32_t box[] = {(cuuint32_t)wide, (cuuint32_t)high}, steps[] = {1, 1};
    CUresult made = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, extents, strides, box, steps,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) printf("no map: %d\n", made);
    return map;
}

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Block r of a cluster of four asks for its quarter, and all get it.
__global__ __cluster_dims__(4, 1, 1) void share(const __grid_constant__ CUtensorMap map, float *out, unsigned to_whom) {
    __shared__ alignas(128) float box[4][32];
    __shared__ unsigned long long full;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        make(&full);
        unsigned from_whom = to_whom >> rank & 1 ? 4 : 0;
        announce(&full, from_whom * 128);
    }
    for (int i = threadIdx.x; i < 128; i += 32) box[0][i] = -1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;"
                     ::"r"(shared_address(box[rank])), "l"(&map), "r"(0), "r"(4 * rank), "r"(shared_address(&full)),
                     "h"((unsigned short)to_whom) : "memory");
    }
    wait(&full, 0);
    for (int i = threadIdx.x; i < 128; i += 32) out[128 * blockIdx.x + i] = box[0][i];
    cluster.sync();
}

int main() {
    float *x, *out;
    cudaMallocManaged(&x, 128 * sizeof(float));
    cudaMallocManaged(&out, 4 * 128 * sizeof(float));
    for (int i = 0; i < 128; i++) x[i] = i;
    CUtensorMap map = map_of(x, 8, 16, 8, 4);
    for (unsigned to_whom : {15u, 5u}) {
        share<<<4, 32>>>(map, out, to_whom);
        printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
        for (int b = 0; b < 4; b++) {
            float sum = 0;
            for (int i = 0; i < 128; i++) sum += out[128 * b + i];
            printf(" %g", sum);
        }
        printf("\n");
    }
    cudaFree(x);
    cudaFree(out);
}
