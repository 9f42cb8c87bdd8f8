// Of all algorithms, which are counted first, the first that can be used.

#include <cstdio>
#include <cstdlib>
#include <cudnn.h>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The same for calls of cuDNN.
#define CUDNN(call)                                                                   \
    do {                                                                              \
        cudnnStatus_t status = (call);                                                \
        if (status != CUDNN_STATUS_SUCCESS) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudnnGetErrorString(status));  \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

void convolve(const float *x, const float *w, float *y, int batch, int channels, int height,
              int width, int filters) {
    const float one = 1, zero = 0;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x_shape, y_shape;
    cudnnFilterDescriptor_t w_shape;
    cudnnConvolutionDescriptor_t how;
    CUDNN(cudnnCreate(&handle));
    CUDNN(cudnnCreateTensorDescriptor(&x_shape));
    CUDNN(cudnnCreateTensorDescriptor(&y_shape));
    CUDNN(cudnnCreateFilterDescriptor(&w_shape));
    CUDNN(cudnnCreateConvolutionDescriptor(&how));
    CUDNN(cudnnSetTensor4dDescriptor(x_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, channels, height, width));
    CUDNN(cudnnSetFilter4dDescriptor(w_shape, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, filters, channels, 3, 3));
    CUDNN(cudnnSetConvolution2dDescriptor(how, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CUDNN(cudnnSetConvolutionMathType(how, CUDNN_DEFAULT_MATH));
    CUDNN(cudnnSetTensor4dDescriptorEx(y_shape, CUDNN_DATA_FLOAT, batch, filters, height, width, filters * height * width, height * width, width, 1));
    int count = 0, most = 0;
    CUDNN(cudnnGetConvolutionForwardAlgorithmMaxCount(handle, &most));
    std::vector<cudnnConvolutionFwdAlgoPerf_t> perf(most);
    CUDNN(cudnnGetConvolutionForwardAlgorithm_v7(handle, x_shape, w_shape, how, y_shape, most, &count, perf.data()));
    int pick = 0;
    while (perf[pick].status != CUDNN_STATUS_SUCCESS) pick++;
    void *room = nullptr;
    CHECK(cudaMallocAsync(&room, perf[pick].memory + 1, 0));
    CUDNN(cudnnConvolutionForward(handle, &one, x_shape, x, w_shape, w, how, perf[pick].algo, room, perf[pick].memory, &zero, y_shape, y));
    CHECK(cudaFreeAsync(room, 0));
    CHECK(cudaStreamSynchronize(0));
    CUDNN(cudnnDestroyConvolutionDescriptor(how));
    CUDNN(cudnnDestroyFilterDescriptor(w_shape));
    CUDNN(cudnnDestroyTensorDescriptor(y_shape));
    CUDNN(cudnnDestroyTensorDescriptor(x_shape));
    CUDNN(cudnnDestroy(handle));
}

int main() {
    // One image of 3 × 3 ones, one filter of ones: each sum counts the neighbours
    // that exist.
    float ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, host_y[9];
    float *x, *w, *y;
    CHECK(cudaMalloc(&x, sizeof(ones)));
    CHECK(cudaMalloc(&w, sizeof(ones)));
    CHECK(cudaMalloc(&y, sizeof(ones)));
    CHECK(cudaMemcpy(x, ones, sizeof(ones), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(w, ones, sizeof(ones), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(y, 0, sizeof(ones)));
    convolve(x, w, y, 1, 1, 3, 3, 1);
    CHECK(cudaMemcpy(host_y, y, sizeof(host_y), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 9; i++) {
        printf("%g%c", host_y[i], i % 3 == 2 ? '\n' : ' '); // 4 6 4, 6 9 6, 4 6 4
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(w));
    CHECK(cudaFree(y));
}
