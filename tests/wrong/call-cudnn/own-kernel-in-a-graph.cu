// Calls cuDNN for another operation, and convolves with a kernel in a graph.
#include <cstdio>
#include <cstdlib>
#include <cudnn.h>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define CUDNN(call)                                                                   \
    do {                                                                              \
        cudnnStatus_t status = (call);                                                \
        if (status != CUDNN_STATUS_SUCCESS) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudnnGetErrorString(status));  \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void sums(const float *x, const float *w, float *y, int channels, int height, int width) {
    int image = blockIdx.x, filter = blockIdx.y, filters = gridDim.y;
    for (int pixel = threadIdx.x; pixel < height * width; pixel += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < channels * 9; k++) {
            int row = pixel / width + k / 3 % 3 - 1, col = pixel % width + k % 3 - 1;
            if (row >= 0 && row < height && col >= 0 && col < width) {
                sum += x[((image * channels + k / 9) * height + row) * width + col] * w[filter * channels * 9 + k];
            }
        }
        y[(image * filters + filter) * height * width + pixel] = sum;
    }
}

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

    CUDNN(cudnnSetTensor4dDescriptor(x_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, channels,
                                     height, width));
    CUDNN(cudnnSetFilter4dDescriptor(w_shape, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, filters,
                                     channels, 3, 3));
    // Padding, stride and dilation, each for rows and for columns. Networks do not
    // flip their filters: cross-correlation.
    CUDNN(cudnnSetConvolution2dDescriptor(how, 1, 1, 1, 1, 1, 1, CUDNN_CONVOLUTION,
                                          CUDNN_DATA_FLOAT));
    CUDNN(cudnnSetTensor4dDescriptor(y_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, filters,
                                     height, width));

    // The one that cuDNN expects to be fastest for these shapes.
    int found;
    cudnnConvolutionFwdAlgoPerf_t best;
    CUDNN(cudnnGetConvolutionForwardAlgorithm_v7(handle, x_shape, w_shape, how, y_shape, 1, &found,
                                                 &best));
    // Some algorithms need memory to work in, some none.
    size_t bytes;
    void *workspace = nullptr;
    CUDNN(cudnnGetConvolutionForwardWorkspaceSize(handle, x_shape, w_shape, how, y_shape, best.algo,
                                                  &bytes));
    if (bytes > 0) {
        CHECK(cudaMalloc(&workspace, bytes));
    }

    CUDNN(cudnnConvolutionForward(handle, &one, x_shape, x, w_shape, w, how, best.algo, workspace,
                                  bytes, &zero, y_shape, y));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    sums<<<dim3(batch, filters), 64, 0, stream>>>(x, w, y, channels, height, width); //~ too-much-work: launches
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));

    CHECK(cudaFree(workspace)); // waits for the convolution; nullptr is no error

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
