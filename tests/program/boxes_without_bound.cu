// Boxes larger than any memory are refused, and those without extent do nothing.
#include <cstdio>

int main() {
    char *from, *to;
    cudaMalloc(&from, 64);
    cudaMalloc(&to, 64);
    cudaMemset(from, 1, 64);
    const size_t many = 1ull << 40;
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(from, 16, 16, 0);
    box.dstPtr = make_cudaPitchedPtr(to, 16, 16, 0);
    box.kind = cudaMemcpyDeviceToDevice;
    box.extent = make_cudaExtent(16, 1, many);
    printf("slices that lie on each other: %s\n", cudaGetErrorName(cudaMemcpy3D(&box)));
    box.extent = make_cudaExtent(0, many, many);
    printf("rows of nothing: %s\n", cudaGetErrorName(cudaMemcpy3D(&box)));
    cudaPitchedPtr flat = make_cudaPitchedPtr(to, 16, 16, 0);
    printf("set: %s\n", cudaGetErrorName(cudaMemset3D(flat, 0, make_cudaExtent(16, 1, many))));
    printf("set nothing: %s\n", cudaGetErrorName(cudaMemset3D(flat, 0, make_cudaExtent(16, 0, many))));
    // Two slices of three rows, of which two are set.
    cudaMemset(to, 9, 64);
    cudaMemset3D(make_cudaPitchedPtr(to, 8, 8, 3), 5, make_cudaExtent(6, 2, 2));
    char back[64];
    cudaMemcpy(back, to, 64, cudaMemcpyDeviceToHost);
    for (int row = 0; row < 8; row++) {
        for (int at = 0; at < 8; at++) printf("%d", back[row * 8 + at]);
        printf("\n");
    }
    cudaFree(from);
    cudaFree(to);
    return 0;
}
