// Ways in which people write CUDA C++.
//~ calls: __cudaCDP2GetParameterBufferV2 __cudaCDP2LaunchDeviceV2 cudaMalloc cudaFree malloc free vprintf
#include <cuda_runtime.h>
#include <stdio.h>

template <class T> class Buffer {
    T *data_ = nullptr;
    size_t count_;

public:
    explicit Buffer(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
    Buffer(const Buffer &) = delete;
    Buffer(Buffer &&other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }
    ~Buffer() { cudaFree(data_); }
    T *get() const { return data_; }
};
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square final : Shape {
    double side;
    __host__ __device__ explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};
struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
template <class F> __global__ void apply(F f, float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i], 1.0f);
}
__host__ __device__ inline int divide_up(int a, int b) { return (a + b - 1) / b; }
enum class Mode : int { fast, exact };
constexpr int kBlock = 256;
static int counter = 0;
const char *const names[] = {"fast", "exact"};
int *make() { return new int[4]{1, 2, 3, 4}; }

int main(int argc, char **argv) {
    const int n = 1 << 10;
    Buffer<float> a(n), b(static_cast<Buffer<float> &&>(a));
    apply<<<divide_up(n, kBlock), kBlock>>>(Saxpy{2.0f}, b.get(), n);
    apply<<<divide_up(n, kBlock), kBlock>>>([=] __device__(float x, float y) { return x * argc + y; }, b.get(), n);
    auto both = [] __host__ __device__(float x, float y) { return x - y; };
    apply<<<1, kBlock>>>(both, b.get(), n);
    Shape *shape = new Square(both(3, 1));
    int *numbers = make();
    for (auto [i, j] = int2{0, 4}; i < j; ++i) counter += numbers[i];
    Mode mode = argc > 1 ? Mode::exact : Mode::fast;
    printf("%s %f %d %s\n", names[static_cast<int>(mode)], shape->area(), counter, argv[0]);
    delete shape;
    delete[] numbers;
    return 0;
}
