// Objects with virtual functions, built on the device.
// launch: grid 1 block 32
// out y: f32 32
// expect y[i] = i % 3 == 0 ? i * i : i % 3 == 1 ? i * 4 : -1
struct Shape {
    __device__ virtual float area() const { return -1.0f; }
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Strip : Shape {
    float length;
    __device__ Strip(float length) : length(length) {}
    __device__ float area() const override { return length * 4; }
};
__device__ __noinline__ float measure(const Shape &shape) { return shape.area(); }
extern "C" __global__ void areas(float *y) {
    int i = threadIdx.x;
    Square square((float)i);
    Strip strip((float)i);
    Shape plain;
    const Shape *all[3] = {&square, &strip, &plain};
    y[i] = measure(*all[i % 3]);
}
