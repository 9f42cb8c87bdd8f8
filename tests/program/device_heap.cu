// new, delete, printf and assert in kernels; virtual functions made on the device.
#include <cassert>
#include <cstdio>

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__global__ void make(Shape **shapes, int n) {
    int i = threadIdx.x;
    if (i < n) {
        if (i % 2) shapes[i] = new Circle(i);
        else shapes[i] = new Square(i);
    }
}

__global__ void measure(Shape **shapes, float *areas, int n) {
    int i = threadIdx.x;
    if (i < n) {
        assert(shapes[i] != nullptr);
        areas[i] = shapes[i]->area();
    }
}

__global__ void drop(Shape **shapes, int n) {
    if (threadIdx.x < n) delete shapes[threadIdx.x];
    if (threadIdx.x == 0) printf("dropped %d of them, %s\n", n, "all");
}

int main() {
    const int n = 6;
    Shape **shapes;
    float *areas;
    cudaMalloc(&shapes, n * sizeof(Shape *));
    cudaMallocManaged(&areas, n * sizeof(float));
    make<<<1, 32>>>(shapes, n);
    measure<<<1, 32>>>(shapes, areas, n);
    drop<<<1, 32>>>(shapes, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) printf("%g ", areas[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(shapes);
    cudaFree(areas);
}
