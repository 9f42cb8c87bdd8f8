#include <cstdio>
#include <cstdlib>

struct Point {
    int x, y, z, w;
};

__global__ void shift(Point *p) { p[threadIdx.x].y += 1; }

int main() {
    Point *h = (Point *)malloc(3 * sizeof(Point)), *d;
    for (int i = 0; i < 3; i++) h[i] = {i, i, i, i};
    cudaMalloc(&d, 3 * sizeof(Point));
    cudaMemcpy(d, h, 3 * sizeof(Point), cudaMemcpyHostToDevice);
    shift<<<1, 4>>>(d);
    cudaDeviceSynchronize();
    printf("%d\n", h[3].y);
    free(h);
}
