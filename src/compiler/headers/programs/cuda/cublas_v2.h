// cuBLAS: the calls that are supported, as NVIDIA names them. Matrices are column-major.
#pragma once
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_ALGO8 = 8,
    CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10,
    CUBLAS_GEMM_ALGO11 = 11,
    CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13,
    CUBLAS_GEMM_ALGO14 = 14,
    CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16,
    CUBLAS_GEMM_ALGO17 = 17,
    CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19,
    CUBLAS_GEMM_ALGO20 = 20,
    CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;

#define CUBLAS_VERSION 120904
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 9

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t *);
cublasStatus_t cublasDestroy_v2(cublasHandle_t);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *);
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasGetStream_v2(cublasHandle_t, cudaStream_t *);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t, cublasPointerMode_t *);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t, cublasPointerMode_t);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *, size_t);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t *);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t *);
const char *cublasGetStatusName(cublasStatus_t);
const char *cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasSetVector(int n, int element_bytes, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(
    int rows, int columns, int element_bytes, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasGetMatrix(
    int rows, int columns, int element_bytes, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasSetVectorAsync(
    int n, int element_bytes, const void *x, int incx, void *y, int incy, cudaStream_t);
cublasStatus_t cublasSetMatrixAsync(
    int rows, int columns, int element_bytes, const void *a, int lda, void *b, int ldb, cudaStream_t);
cublasStatus_t cublasGetVectorAsync(
    int n, int element_bytes, const void *x, int incx, void *y, int incy, cudaStream_t);
cublasStatus_t cublasGetMatrixAsync(
    int rows, int columns, int element_bytes, const void *a, int lda, void *b, int ldb, cudaStream_t);

cublasStatus_t cublasSaxpy_v2(
    cublasHandle_t, int n, const float *alpha, const float *x, int incx, float *y, int incy);
cublasStatus_t cublasSscal_v2(cublasHandle_t, int n, const float *alpha, float *x, int incx);
cublasStatus_t cublasScopy_v2(cublasHandle_t, int n, const float *x, int incx, float *y, int incy);
cublasStatus_t cublasSswap_v2(cublasHandle_t, int n, float *x, int incx, float *y, int incy);
cublasStatus_t cublasSdot_v2(
    cublasHandle_t, int n, const float *x, int incx, const float *y, int incy, float *result);
cublasStatus_t cublasSnrm2_v2(cublasHandle_t, int n, const float *x, int incx, float *result);
cublasStatus_t cublasSasum_v2(cublasHandle_t, int n, const float *x, int incx, float *result);
cublasStatus_t cublasIsamax_v2(cublasHandle_t, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIsamin_v2(cublasHandle_t, int n, const float *x, int incx, int *result);
cublasStatus_t cublasSgemv_v2(
    cublasHandle_t, cublasOperation_t, int m, int n, const float *alpha, const float *a, int lda,
    const float *x, int incx, const float *beta, float *y, int incy);
cublasStatus_t cublasSger_v2(
    cublasHandle_t, int m, int n, const float *alpha, const float *x, int incx, const float *y, int incy,
    float *a, int lda);
cublasStatus_t cublasSgemm_v2(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const float *alpha,
    const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasSgemmStridedBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const float *alpha,
    const float *a, int lda, long long stride_a, const float *b, int ldb, long long stride_b,
    const float *beta, float *c, int ldc, long long stride_c, int batch);
cublasStatus_t cublasSgemmBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const float *alpha,
    const float *const *a, int lda, const float *const *b, int ldb, const float *beta, float *const *c,
    int ldc, int batch);
cublasStatus_t cublasSgeam(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, const float *alpha, const float *a,
    int lda, const float *beta, const float *b, int ldb, float *c, int ldc);
cublasStatus_t cublasSsymv_v2(
    cublasHandle_t, cublasFillMode_t, int n, const float *alpha, const float *a, int lda, const float *x, int incx,
    const float *beta, float *y, int incy);
cublasStatus_t cublasSsymm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m, int n, const float *alpha, const float *a, int lda,
    const float *b, int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasSsyr_v2(
    cublasHandle_t, cublasFillMode_t, int n, const float *alpha, const float *x, int incx, float *a, int lda);
cublasStatus_t cublasSsyrk_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, const float *alpha, const float *a, int lda,
    const float *beta, float *c, int ldc);
cublasStatus_t cublasStrsv_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const float *a, int lda, float *x,
    int incx);
cublasStatus_t cublasStrsm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n,
    const float *alpha, const float *a, int lda, float *b, int ldb);
cublasStatus_t cublasStrmv_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const float *a, int lda, float *x,
    int incx);
cublasStatus_t cublasStrmm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n,
    const float *alpha, const float *a, int lda, const float *b, int ldb, float *c, int ldc);
cublasStatus_t cublasSdgmm(
    cublasHandle_t, cublasSideMode_t, int m, int n, const float *a, int lda, const float *x, int incx, float *c,
    int ldc);
cublasStatus_t cublasSrot_v2(
    cublasHandle_t, int n, float *x, int incx, float *y, int incy, const float *c, const float *s);

cublasStatus_t cublasDaxpy_v2(
    cublasHandle_t, int n, const double *alpha, const double *x, int incx, double *y, int incy);
cublasStatus_t cublasDscal_v2(cublasHandle_t, int n, const double *alpha, double *x, int incx);
cublasStatus_t cublasDcopy_v2(cublasHandle_t, int n, const double *x, int incx, double *y, int incy);
cublasStatus_t cublasDswap_v2(cublasHandle_t, int n, double *x, int incx, double *y, int incy);
cublasStatus_t cublasDdot_v2(
    cublasHandle_t, int n, const double *x, int incx, const double *y, int incy, double *result);
cublasStatus_t cublasDnrm2_v2(cublasHandle_t, int n, const double *x, int incx, double *result);
cublasStatus_t cublasDasum_v2(cublasHandle_t, int n, const double *x, int incx, double *result);
cublasStatus_t cublasIdamax_v2(cublasHandle_t, int n, const double *x, int incx, int *result);
cublasStatus_t cublasIdamin_v2(cublasHandle_t, int n, const double *x, int incx, int *result);
cublasStatus_t cublasDgemv_v2(
    cublasHandle_t, cublasOperation_t, int m, int n, const double *alpha, const double *a, int lda,
    const double *x, int incx, const double *beta, double *y, int incy);
cublasStatus_t cublasDger_v2(
    cublasHandle_t, int m, int n, const double *alpha, const double *x, int incx, const double *y, int incy,
    double *a, int lda);
cublasStatus_t cublasDgemm_v2(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const double *alpha,
    const double *a, int lda, const double *b, int ldb, const double *beta, double *c, int ldc);
cublasStatus_t cublasDgemmStridedBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const double *alpha,
    const double *a, int lda, long long stride_a, const double *b, int ldb, long long stride_b,
    const double *beta, double *c, int ldc, long long stride_c, int batch);
cublasStatus_t cublasDgemmBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const double *alpha,
    const double *const *a, int lda, const double *const *b, int ldb, const double *beta, double *const *c,
    int ldc, int batch);
cublasStatus_t cublasDgeam(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, const double *alpha, const double *a,
    int lda, const double *beta, const double *b, int ldb, double *c, int ldc);
cublasStatus_t cublasDsymv_v2(
    cublasHandle_t, cublasFillMode_t, int n, const double *alpha, const double *a, int lda, const double *x, int incx,
    const double *beta, double *y, int incy);
cublasStatus_t cublasDsymm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m, int n, const double *alpha, const double *a, int lda,
    const double *b, int ldb, const double *beta, double *c, int ldc);
cublasStatus_t cublasDsyr_v2(
    cublasHandle_t, cublasFillMode_t, int n, const double *alpha, const double *x, int incx, double *a, int lda);
cublasStatus_t cublasDsyrk_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, const double *alpha, const double *a, int lda,
    const double *beta, double *c, int ldc);
cublasStatus_t cublasDtrsv_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const double *a, int lda, double *x,
    int incx);
cublasStatus_t cublasDtrsm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n,
    const double *alpha, const double *a, int lda, double *b, int ldb);
cublasStatus_t cublasDtrmv_v2(
    cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, const double *a, int lda, double *x,
    int incx);
cublasStatus_t cublasDtrmm_v2(
    cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int m, int n,
    const double *alpha, const double *a, int lda, const double *b, int ldb, double *c, int ldc);
cublasStatus_t cublasDdgmm(
    cublasHandle_t, cublasSideMode_t, int m, int n, const double *a, int lda, const double *x, int incx, double *c,
    int ldc);
cublasStatus_t cublasDrot_v2(
    cublasHandle_t, int n, double *x, int incx, double *y, int incy, const double *c, const double *s);

// Halves come by their bits, so that cuda_fp16.h is read only by those who use it.
struct __half;
cublasStatus_t cublasHgemm(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const __half *alpha,
    const __half *a, int lda, const __half *b, int ldb, const __half *beta, __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const __half *alpha,
    const __half *a, int lda, long long stride_a, const __half *b, int ldb, long long stride_b,
    const __half *beta, __half *c, int ldc, long long stride_c, int batch);
cublasStatus_t cublasHgemmBatched(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const __half *alpha,
    const __half *const *a, int lda, const __half *const *b, int ldb, const __half *beta, __half *const *c,
    int ldc, int batch);
cublasStatus_t cublasAxpyEx(
    cublasHandle_t, int n, const void *alpha, cudaDataType alpha_type, const void *x, cudaDataType x_type,
    int incx, void *y, cudaDataType y_type, int incy, cudaDataType execution);
cublasStatus_t cublasScalEx(
    cublasHandle_t, int n, const void *alpha, cudaDataType alpha_type, void *x, cudaDataType x_type,
    int incx, cudaDataType execution);
cublasStatus_t cublasDotEx(
    cublasHandle_t, int n, const void *x, cudaDataType x_type, int incx, const void *y, cudaDataType y_type,
    int incy, void *result, cudaDataType result_type, cudaDataType execution);
cublasStatus_t cublasNrm2Ex(
    cublasHandle_t, int n, const void *x, cudaDataType x_type, int incx, void *result,
    cudaDataType result_type, cudaDataType execution);
cublasStatus_t cublasSgemmEx(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const float *alpha,
    const void *a, cudaDataType a_type, int lda, const void *b, cudaDataType b_type, int ldb,
    const float *beta, void *c, cudaDataType c_type, int ldc);
cublasStatus_t cublasGemmEx(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void *alpha,
    const void *a, cudaDataType a_type, int lda, const void *b, cudaDataType b_type, int ldb,
    const void *beta, void *c, cudaDataType c_type, int ldc, cublasComputeType_t, cublasGemmAlgo_t);
cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void *alpha,
    const void *const *a, cudaDataType a_type, int lda, const void *const *b, cudaDataType b_type, int ldb,
    const void *beta, void *const *c, cudaDataType c_type, int ldc, int batch, cublasComputeType_t,
    cublasGemmAlgo_t);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void *alpha,
    const void *a, cudaDataType a_type, int lda, long long stride_a, const void *b, cudaDataType b_type,
    int ldb, long long stride_b, const void *beta, void *c, cudaDataType c_type, int ldc, long long stride_c,
    int batch, cublasComputeType_t, cublasGemmAlgo_t);
}

// The library exports the current interface under names of its own.
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSger cublasSger_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsymv cublasSsymv_v2
#define cublasSsymm cublasSsymm_v2
#define cublasSsyr cublasSsyr_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasStrsv cublasStrsv_v2
#define cublasStrsm cublasStrsm_v2
#define cublasStrmv cublasStrmv_v2
#define cublasStrmm cublasStrmm_v2
#define cublasSrot cublasSrot_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDger cublasDger_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsymv cublasDsymv_v2
#define cublasDsymm cublasDsymm_v2
#define cublasDsyr cublasDsyr_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasDrot cublasDrot_v2

// Before CUDA 11 the compute type was a data type.
static inline cublasStatus_t cublasGemmEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void *alpha,
    const void *a, cudaDataType a_type, int lda, const void *b, cudaDataType b_type, int ldb, const void *beta,
    void *c, cudaDataType c_type, int ldc, cudaDataType compute, cublasGemmAlgo_t algorithm) {
    cublasComputeType_t type = compute == CUDA_R_64F   ? CUBLAS_COMPUTE_64F
                               : compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F
                               : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                       : CUBLAS_COMPUTE_32F;
    return cublasGemmEx(
        handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, type, algorithm);
}
