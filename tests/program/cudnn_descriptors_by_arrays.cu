// Descriptors of cuDNN that take arrays are those that take numbers.
#include <cstdio>
#include <cudnn.h>

int main() {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x_shape, y_shape;
    cudnnFilterDescriptor_t f_shape;
    cudnnConvolutionDescriptor_t convolution;
    cudnnCreate(&handle);
    cudnnCreateTensorDescriptor(&x_shape);
    cudnnCreateTensorDescriptor(&y_shape);
    cudnnCreateFilterDescriptor(&f_shape);
    cudnnCreateConvolutionDescriptor(&convolution);

    const int x_sizes[] = {1, 1, 3, 4}, f_sizes[] = {1, 1, 2, 2}, zeros[] = {0, 0}, ones[] = {1, 1};
    int y_sizes[4], y_strides[] = {6, 6, 3, 1}, bad[] = {1, 1, 0, 4};
    printf("%d ", cudnnSetTensorNdDescriptorEx(x_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, x_sizes));
    printf("%d ", cudnnSetFilterNdDescriptor(f_shape, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, f_sizes));
    printf("%d ", cudnnSetConvolutionNdDescriptor(convolution, 2, zeros, ones, ones, CUDNN_CROSS_CORRELATION,
                                                  CUDNN_DATA_FLOAT));
    printf("%d ", cudnnGetConvolutionNdForwardOutputDim(convolution, x_shape, f_shape, 4, y_sizes));
    printf("%d\n", cudnnSetTensorNdDescriptor(y_shape, CUDNN_DATA_FLOAT, 4, y_sizes, y_strides));
    printf("%d x %d x %d x %d\n", y_sizes[0], y_sizes[1], y_sizes[2], y_sizes[3]);

    float *x, *f, *y;
    cudaMallocManaged(&x, 12 * sizeof(float));
    cudaMallocManaged(&f, 4 * sizeof(float));
    cudaMallocManaged(&y, 6 * sizeof(float));
    for (int i = 0; i < 12; i++) x[i] = i;
    for (int i = 0; i < 4; i++) f[i] = i + 1;
    const float one = 1, zero = 0;
    cudnnConvolutionForward(handle, &one, x_shape, x, f_shape, f, convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                            nullptr, 0, &zero, y_shape, y);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++) printf("%g ", y[i]);
    printf("\n");

    bool refused = cudnnSetTensorNdDescriptor(x_shape, CUDNN_DATA_FLOAT, 4, bad, y_strides) != CUDNN_STATUS_SUCCESS;
    refused &= cudnnSetTensorNdDescriptorEx(x_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 9, x_sizes) !=
               CUDNN_STATUS_SUCCESS;
    printf("%s\n", refused ? "refused" : "taken");
    cudaFree(x);
    cudaFree(f);
    cudaFree(y);
    cudnnDestroyConvolutionDescriptor(convolution);
    cudnnDestroyFilterDescriptor(f_shape);
    cudnnDestroyTensorDescriptor(x_shape);
    cudnnDestroyTensorDescriptor(y_shape);
    cudnnDestroy(handle);
}
