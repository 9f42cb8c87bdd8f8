// Convolutions by cuDNN, each compared with loops on the host: padding, stride, dilation, groups, a
// flipped filter, alpha and beta.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cudnn.h>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

#define CUDNN(call)                                                                   \
    do {                                                                               \
        cudnnStatus_t status_ = (call);                                                \
        if (status_ != CUDNN_STATUS_SUCCESS) {                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudnnGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

struct Case {
    const char *name;
    int n, c, h, w, k, r, s, pad, stride, dilation, groups;
    cudnnConvolutionMode_t mode;
    float alpha, beta;
};

// y (N, K, P, Q) of x (N, C, H, W) and f (K, C / groups, R, S)
void on_host(const Case &t, const std::vector<float> &x, const std::vector<float> &f, std::vector<float> &y, int p,
             int q) {
    int channels = t.c / t.groups;
    for (int n = 0; n < t.n; n++)
        for (int k = 0; k < t.k; k++)
            for (int i = 0; i < p; i++)
                for (int j = 0; j < q; j++) {
                    float sum = 0;
                    for (int c = 0; c < channels; c++)
                        for (int r = 0; r < t.r; r++)
                            for (int s = 0; s < t.s; s++) {
                                int row = i * t.stride - t.pad + r * t.dilation;
                                int column = j * t.stride - t.pad + s * t.dilation;
                                if (row < 0 || row >= t.h || column < 0 || column >= t.w) continue;
                                int channel = k / (t.k / t.groups) * channels + c;
                                bool flips = t.mode == CUDNN_CONVOLUTION;
                                int fr = flips ? t.r - 1 - r : r, fs = flips ? t.s - 1 - s : s;
                                sum += x[((n * t.c + channel) * t.h + row) * t.w + column] *
                                       f[((k * channels + c) * t.r + fr) * t.s + fs];
                            }
                    float &out = y[((n * t.k + k) * p + i) * q + j];
                    out = t.alpha * sum + t.beta * out;
                }
}

void run(cudnnHandle_t handle, const Case &t) {
    cudnnTensorDescriptor_t x_shape, y_shape;
    cudnnFilterDescriptor_t f_shape;
    cudnnConvolutionDescriptor_t convolution;
    CUDNN(cudnnCreateTensorDescriptor(&x_shape));
    CUDNN(cudnnCreateTensorDescriptor(&y_shape));
    CUDNN(cudnnCreateFilterDescriptor(&f_shape));
    CUDNN(cudnnCreateConvolutionDescriptor(&convolution));
    CUDNN(cudnnSetTensor4dDescriptor(x_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, t.n, t.c, t.h, t.w));
    CUDNN(cudnnSetFilter4dDescriptor(f_shape, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, t.k, t.c / t.groups, t.r, t.s));
    CUDNN(cudnnSetConvolution2dDescriptor(convolution, t.pad, t.pad, t.stride, t.stride, t.dilation, t.dilation,
                                          t.mode, CUDNN_DATA_FLOAT));
    CUDNN(cudnnSetConvolutionGroupCount(convolution, t.groups));
    int n, k, p, q;
    CUDNN(cudnnGetConvolution2dForwardOutputDim(convolution, x_shape, f_shape, &n, &k, &p, &q));
    CUDNN(cudnnSetTensor4dDescriptor(y_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, k, p, q));

    std::vector<float> x(t.n * t.c * t.h * t.w), f(t.k * t.c / t.groups * t.r * t.s), y(n * k * p * q), wanted;
    for (size_t i = 0; i < x.size(); i++) x[i] = int(i * 37 % 17) - 8;
    for (size_t i = 0; i < f.size(); i++) f[i] = int(i * 11 % 7) - 3;
    for (size_t i = 0; i < y.size(); i++) y[i] = int(i % 5);
    wanted = y;
    float *d_x, *d_f, *d_y;
    CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_f, f.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_y, y.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_f, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice));

    int returned = 0;
    cudnnConvolutionFwdAlgoPerf_t best;
    CUDNN(cudnnGetConvolutionForwardAlgorithm_v7(handle, x_shape, f_shape, convolution, y_shape, 1, &returned, &best));
    size_t bytes = 0;
    void *workspace = nullptr;
    CUDNN(cudnnGetConvolutionForwardWorkspaceSize(handle, x_shape, f_shape, convolution, y_shape, best.algo, &bytes));
    if (bytes > 0) CHECK(cudaMalloc(&workspace, bytes));
    CUDNN(cudnnConvolutionForward(handle, &t.alpha, x_shape, d_x, f_shape, d_f, convolution, best.algo, workspace, bytes,
                                  &t.beta, y_shape, d_y));
    CHECK(cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));

    on_host(t, x, f, wanted, p, q);
    float worst = 0;
    for (size_t i = 0; i < y.size(); i++) {
        float away = fabsf(y[i] - wanted[i]);
        if (!(away <= worst)) worst = away;
    }
    printf("%s: %d x %d x %d x %d, %s\n", t.name, n, k, p, q, worst <= 1e-3f ? "right" : "wrong");
    CHECK(cudaFree(workspace));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_f));
    CHECK(cudaFree(d_y));
    CUDNN(cudnnDestroyConvolutionDescriptor(convolution));
    CUDNN(cudnnDestroyFilterDescriptor(f_shape));
    CUDNN(cudnnDestroyTensorDescriptor(x_shape));
    CUDNN(cudnnDestroyTensorDescriptor(y_shape));
}

int main() {
    cudnnHandle_t handle;
    CUDNN(cudnnCreate(&handle));
    const Case cases[] = {
        {"plain", 1, 1, 5, 6, 1, 3, 3, 0, 1, 1, 1, CUDNN_CROSS_CORRELATION, 1, 0},
        {"padded", 2, 3, 6, 6, 4, 3, 3, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, 1, 0},
        {"flipped, stride 2", 1, 2, 7, 8, 2, 3, 2, 1, 2, 1, 1, CUDNN_CONVOLUTION, 1, 0},
        {"dilated", 1, 1, 9, 9, 2, 3, 3, 2, 1, 2, 1, CUDNN_CROSS_CORRELATION, 1, 0},
        {"groups, added to what is there", 1, 4, 5, 5, 6, 3, 3, 1, 1, 1, 2, CUDNN_CROSS_CORRELATION, 0.5f, 2},
    };
    for (const Case &t : cases) run(handle, t);
    cudnnTensorDescriptor_t bad;
    CUDNN(cudnnCreateTensorDescriptor(&bad));
    cudnnStatus_t refused = cudnnSetTensor4dDescriptor(bad, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, -1, 2, 2);
    printf("a negative extent is refused: %s\n", refused == CUDNN_STATUS_SUCCESS ? "no" : "yes");
    CUDNN(cudnnDestroyTensorDescriptor(bad));
    CUDNN(cudnnDestroy(handle));
}
