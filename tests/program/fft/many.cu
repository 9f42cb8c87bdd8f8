// Many transforms by one plan: interleaved columns of a matrix, on a stream of their own; and plans made in two steps.
#include <cstdio>
#include <cufft.h>

int main() {
    const int n = 4, columns = 3;
    float host[n][columns];
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < columns; c++) host[i][c] = (i + 1) * (c + 1);
    }
    float *x;
    cufftComplex *y, result[columns][n / 2 + 1];
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&y, sizeof(result));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(x, host, sizeof(host), cudaMemcpyHostToDevice, stream);
    cufftHandle plan;
    int size[] = {n}, in[] = {n}, out[] = {n / 2 + 1};
    size_t bytes;
    printf("%d", cufftCreate(&plan));
    printf(" %d", cufftMakePlanMany(plan, 1, size, in, columns, 1, out, 1, n / 2 + 1, CUFFT_R2C, columns, &bytes));
    printf(" %d", cufftSetStream(plan, stream));
    printf(" %d\n", cufftExecR2C(plan, x, y));
    cudaMemcpyAsync(result, y, sizeof(result), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int c = 0; c < columns; c++) {
        for (int k = 0; k <= n / 2; k++) printf("(%g, %g) ", result[c][k].x, result[c][k].y);
        printf("\n");
    }
    printf("%d", cufftDestroy(plan));
    printf(" %d", cufftDestroy(plan));
    printf(" %d", cufftExecR2C(plan, x, y));
    printf(" %d", cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
    printf(" %d\n", cufftPlan1d(&plan, 8, (cufftType)1, 1));
    cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFree(y);
}
