// Arrays of objects outside functions whose values are worked out as the program starts, such as the spheres of a scene.
#include <cmath>
#include <cstdio>

struct Sphere {
    float x, radius;
    Sphere(float at, float area) : x(at), radius(sqrtf(area)) {}
};

Sphere scene[] = {  // position, area
    Sphere(1, 4),   // the first
    Sphere(2, 9),
    {3, 16},
};
static const Sphere two[2] = {{4, 25}, {5, 36}};

__global__ void multiply(const Sphere *spheres, float *out) {
    out[threadIdx.x] = spheres[threadIdx.x].x * spheres[threadIdx.x].radius;
}

int main() {
    const int n = sizeof(scene) / sizeof(scene[0]);
    Sphere *d_scene;
    float *d_out, out[n];
    cudaMalloc(&d_scene, sizeof(scene));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_scene, scene, sizeof(scene), cudaMemcpyHostToDevice);
    multiply<<<1, n>>>(d_scene, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g ", out[i]);
    printf("%g %g\n", two[0].radius, two[1].radius);
    cudaFree(d_scene);
    cudaFree(d_out);
}
