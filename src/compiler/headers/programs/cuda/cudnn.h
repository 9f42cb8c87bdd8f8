// cuDNN: convolution forward, with the descriptors it needs.
#pragma once
#include <cuda_runtime.h>

#define CUDNN_MAJOR 9
#define CUDNN_MINOR 10
#define CUDNN_PATCHLEVEL 2
#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)
#define CUDNN_DIM_MAX 8

typedef struct cudnnContext *cudnnHandle_t;
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;

typedef enum {
    CUDNN_STATUS_SUCCESS = 0,
    CUDNN_STATUS_NOT_INITIALIZED = 1001,
    CUDNN_STATUS_BAD_PARAM = 2000,
    CUDNN_STATUS_NOT_SUPPORTED = 3000,
    CUDNN_STATUS_INTERNAL_ERROR = 4000,
    CUDNN_STATUS_ALLOC_FAILED = 4003,
    CUDNN_STATUS_EXECUTION_FAILED = 5000
} cudnnStatus_t;
typedef enum {
    CUDNN_DATA_FLOAT = 0,
    CUDNN_DATA_DOUBLE = 1,
    CUDNN_DATA_HALF = 2,
    CUDNN_DATA_INT8 = 3,
    CUDNN_DATA_INT32 = 4,
    CUDNN_DATA_UINT8 = 6,
    CUDNN_DATA_BFLOAT16 = 9,
    CUDNN_DATA_INT64 = 10
} cudnnDataType_t;
typedef enum { CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1, CUDNN_TENSOR_NCHW_VECT_C = 2 } cudnnTensorFormat_t;
typedef enum { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 } cudnnConvolutionMode_t;
typedef enum {
    CUDNN_DEFAULT_MATH = 0,
    CUDNN_TENSOR_OP_MATH = 1,
    CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
    CUDNN_FMA_MATH = 3
} cudnnMathType_t;
typedef enum { CUDNN_NOT_PROPAGATE_NAN = 0, CUDNN_PROPAGATE_NAN = 1 } cudnnNanPropagation_t;
typedef enum { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 } cudnnDeterminism_t;
typedef enum {
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
    CUDNN_CONVOLUTION_FWD_ALGO_GEMM = 2,
    CUDNN_CONVOLUTION_FWD_ALGO_DIRECT = 3,
    CUDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
    CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
    CUDNN_CONVOLUTION_FWD_ALGO_COUNT = 8
} cudnnConvolutionFwdAlgo_t;
typedef struct {
    cudnnConvolutionFwdAlgo_t algo;
    cudnnStatus_t status;
    float time;
    size_t memory;
    cudnnDeterminism_t determinism;
    cudnnMathType_t mathType;
    int reserved[3];
} cudnnConvolutionFwdAlgoPerf_t;

extern "C" {
size_t cudnnGetVersion();
const char *cudnnGetErrorString(cudnnStatus_t);
cudnnStatus_t cudnnCreate(cudnnHandle_t *);
cudnnStatus_t cudnnDestroy(cudnnHandle_t);
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t);
cudnnStatus_t cudnnGetStream(cudnnHandle_t, cudaStream_t *);
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *);
cudnnStatus_t cudnnSetTensor4dDescriptor(
    cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int n, int c, int h, int w);
cudnnStatus_t cudnnSetTensor4dDescriptorEx(
    cudnnTensorDescriptor_t, cudnnDataType_t, int n, int c, int h, int w, int n_stride, int c_stride, int h_stride,
    int w_stride);
cudnnStatus_t cudnnSetTensorNdDescriptor(
    cudnnTensorDescriptor_t, cudnnDataType_t, int axes, const int sizes[], const int strides[]);
cudnnStatus_t cudnnSetTensorNdDescriptorEx(
    cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int axes, const int sizes[]);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t);
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *);
cudnnStatus_t cudnnSetFilter4dDescriptor(
    cudnnFilterDescriptor_t, cudnnDataType_t, cudnnTensorFormat_t, int k, int c, int h, int w);
cudnnStatus_t cudnnSetFilterNdDescriptor(
    cudnnFilterDescriptor_t, cudnnDataType_t, cudnnTensorFormat_t, int axes, const int sizes[]);
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t);
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *);
cudnnStatus_t cudnnSetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w,
    cudnnConvolutionMode_t, cudnnDataType_t compute);
cudnnStatus_t cudnnSetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t, int axes, const int padding[], const int stride[], const int dilation[],
    cudnnConvolutionMode_t, cudnnDataType_t compute);
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int groups);
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t);
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(
    cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, int *n, int *c, int *h, int *width);
cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(
    cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, int axes, int sizes[]);
cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t, int *count);
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t y, int requested, int *returned, cudnnConvolutionFwdAlgoPerf_t *results);
cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t y, int requested, int *returned, cudnnConvolutionFwdAlgoPerf_t *results);
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t y, cudnnConvolutionFwdAlgo_t, size_t *bytes);
cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t, const void *alpha, cudnnTensorDescriptor_t x_shape, const void *x, cudnnFilterDescriptor_t w_shape,
    const void *w, cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t, void *workspace, size_t workspace_bytes,
    const void *beta, cudnnTensorDescriptor_t y_shape, void *y);
}
