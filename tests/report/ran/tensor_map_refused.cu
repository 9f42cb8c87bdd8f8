// A tensor map whose rows are not as far apart as the hardware needs.
#include <cuda.h>

int main() {
    float *x;
    cudaMalloc(&x, 64 * 5 * sizeof(float));
    CUtensorMap map;
    cuuint64_t extents[2] = {5, 64}, strides[1] = {5 * sizeof(float)};
    cuuint32_t box[2] = {4, 4}, steps[2] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaFree(x);
}
