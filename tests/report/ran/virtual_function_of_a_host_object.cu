// An object that the host constructed is copied to the GPU, where a virtual function is called.
#include <cstdio>

struct Shape {
    __host__ __device__ virtual float area() const = 0;
};

struct Square : Shape {
    float side;
    __host__ __device__ explicit Square(float side) : side(side) {}
    __host__ __device__ float area() const override { return side * side; }
};

__global__ void measure(Shape *shape, float *out) {
    *out = shape->area();
}

int main() {
    Square host(3), *d;
    float *out;
    cudaMalloc(&d, sizeof host);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(d, &host, sizeof host, cudaMemcpyHostToDevice);
    measure<<<1, 1>>>(d, out);
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaFree(out);
}
