// What cuTensorMapEncodeTiled takes and what it refuses, as on an H100.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

struct Arguments {
    int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank = 2;
    size_t past = 0;
    cuuint64_t extents[5] = {64, 32, 4, 4, 4}, strides[4] = {256, 8192, 32768, 131072};
    cuuint32_t box[5] = {16, 4, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    int swizzle = 0, promotion = 0, fill = 0;
};

static char *x;

static void show(const char *what, const Arguments &a) {
    CUtensorMap map;
    CUresult made = cuTensorMapEncodeTiled(&map, (CUtensorMapDataType)a.type, a.rank, x + a.past, a.extents, a.strides, a.box, a.steps,
                                           CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)a.swizzle,
                                           (CUtensorMapL2promotion)a.promotion, (CUtensorMapFloatOOBfill)a.fill);
    printf("%s: %d\n", what, made);
}

#define SHOW(change)     \
    {                    \
        Arguments a;     \
        change;          \
        show(#change, a); \
    }

int main() {
    cudaMalloc(&x, 1 << 20);
    void *function;
    cudaDriverEntryPointQueryResult found;
    printf("%d", cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    printf(" %d %d\n", found, function == (void *)cuTensorMapEncodeTiled || function != nullptr);
    SHOW(a.rank = 2)
    SHOW(a.rank = 0)
    SHOW(a.rank = 6)
    SHOW(a.rank = 5)
    SHOW(a.past = 8)
    SHOW(a.past = 16)
    SHOW(a.extents[0] = 0)
    SHOW(a.extents[1] = 0)
    SHOW(a.extents[1] = 1ull << 32)
    SHOW(a.extents[1] = (1ull << 32) + 1)
    SHOW(a.strides[0] = 264)
    SHOW(a.strides[0] = 240)
    SHOW(a.strides[0] = 0)
    SHOW(a.strides[0] = 1ull << 40)
    SHOW(a.box[0] = 0)
    SHOW(a.box[1] = 256)
    SHOW(a.box[1] = 257)
    SHOW(a.box[0] = 2)
    SHOW(a.box[0] = 256)
    SHOW(a.box[0] = 32; a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B)
    SHOW(a.box[0] = 36; a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B)
    SHOW(a.box[0] = 20; a.swizzle = CU_TENSOR_MAP_SWIZZLE_64B)
    SHOW(a.box[0] = 12; a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B)
    SHOW(a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B)
    SHOW(a.swizzle = 7)
    SHOW(a.steps[0] = 0)
    SHOW(a.steps[1] = 0)
    SHOW(a.steps[1] = 8)
    SHOW(a.steps[1] = 9)
    SHOW(a.steps[0] = 9)
    SHOW(a.type = 13)
    SHOW(a.type = 16)
    SHOW(a.type = CU_TENSOR_MAP_DATA_TYPE_UINT32; a.fill = 1)
    SHOW(a.fill = 1)
    SHOW(a.fill = 2)
    SHOW(a.promotion = 4)
    SHOW(a.rank = 1; a.strides[0] = 3)
    cudaFree(x);
}
