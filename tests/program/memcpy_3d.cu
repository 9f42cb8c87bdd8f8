// Boxes in three dimensions.
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

__global__ void add_z(cudaPitchedPtr box, cudaExtent extent) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *slice = (char *)box.ptr + z * box.pitch * extent.height;
    int *row = (int *)(slice + y * box.pitch);
    if (x < extent.width / sizeof(int) && y < extent.height) row[x] += 1000 * z;
}

int main() {
    const int w = 5, h = 4, d = 3;
    int in[d][h][w], out[d][h][w];
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) in[z][y][x] = 10 * y + x;
    memset(out, 0, sizeof out);
    cudaExtent extent = make_cudaExtent(w * sizeof(int), h, d);
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(in, w * sizeof(int), w, h);
    p.dstPtr = box;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    add_z<<<d, dim3(8, 4)>>>(box, extent);
    cudaMemcpy3DParms q = {};
    q.srcPtr = box;
    q.srcPos = make_cudaPos(1 * sizeof(int), 1, 1);
    q.dstPtr = make_cudaPitchedPtr(out, w * sizeof(int), w, h);
    q.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    q.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&q));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++) printf("%d %d %d %d\n", out[z][y][0], out[z][y][1], out[z][y][2], out[z][y][3]);
    CHECK(cudaFree(box.ptr));
}
