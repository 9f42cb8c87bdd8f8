// Grids and blocks of three dimensions, pitched memory, 2D copies.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void index3(int *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = x + 10 * y + 100 * z;
}

__global__ void smooth(const char *in, char *out, size_t in_pitch, size_t out_pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float *row = (const float *)(in + y * in_pitch);
    float left = x > 0 ? row[x - 1] : 0, right = x + 1 < width ? row[x + 1] : 0;
    ((float *)(out + y * out_pitch))[x] = left + row[x] + right;
}

int main() {
    const int nx = 7, ny = 5, nz = 3;
    int *d, h[nx * ny * nz];
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMemset(d, 0, sizeof h));
    index3<<<dim3(2, 2, 2), dim3(4, 4, 2)>>>(d, nx, ny, nz);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    long sum = 0;
    for (int v : h) sum += v;
    printf("sum %ld, last %d\n", sum, h[nx * ny * nz - 1]);

    const int width = 33, height = 9;
    float in[height][width], out[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) in[y][x] = x * y;
    char *p, *q;
    size_t p_pitch, q_pitch;
    CHECK(cudaMallocPitch(&p, &p_pitch, width * sizeof(float), height));
    CHECK(cudaMallocPitch(&q, &q_pitch, width * sizeof(float), height));
    printf("pitch holds a row: %d, is a multiple of 32: %d\n", p_pitch >= width * sizeof(float), p_pitch % 32 == 0);
    CHECK(cudaMemcpy2D(p, p_pitch, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(q, q_pitch, 0, width * sizeof(float), height));
    smooth<<<dim3(2, 2), dim3(32, 8)>>>(p, q, p_pitch, q_pitch, width, height);
    CHECK(cudaMemcpy2D(out, sizeof out[0], q, q_pitch, sizeof out[0], height, cudaMemcpyDeviceToHost));
    printf("%g %g %g\n", out[1][0], out[8][16], out[8][32]);
    CHECK(cudaFree(d));
    CHECK(cudaFree(p));
    CHECK(cudaFree(q));
}
