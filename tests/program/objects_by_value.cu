// Kernels that are given objects with constructors and destructors of their own: copies are made and
// ended by the host, the kernel has the bytes.
#include <cstdio>

struct Counted {
    int value;
    static int copies, ended;
    explicit Counted(int v) : value(v) {}
    Counted(const Counted &other) : value(other.value + 1) { copies++; }
    ~Counted() { ended++; }
};
int Counted::copies, Counted::ended;

struct Inside {
    Counted counted;
    float scale;
};

namespace shop {
__global__ void take(int *out, Counted given) { *out = given.value; }
}
template <class T, int N>
__global__ void take_all(int *out, T given, int extra) { *out = given.value + N + extra; }
__global__ void inside(int *out, Inside given) { *out = int(given.counted.value * given.scale); }
__global__ void refer(int *out, Inside &given) { *out = given.counted.value; }

template <class F>
void twice(F f) {
    for (int i = 0; i < 2; i++) f();
}

int main() {
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    Counted ten(10);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    /* é */ shop::take<<<1, 1>>>(out, ten); cudaDeviceSynchronize(); printf("%d\n", *out);
    shop::take<<<dim3(1, 1),
                 1, 64, stream>>>(out, Counted(20));
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    take_all<Counted, (3 > 2) ? 100 : 0><<<1, 1>>>(out, ten, 5.9);
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    Inside both{ten, 0.5f};
    inside<<<1, 1>>>(out, both);
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    inside<<<1, 1>>>(out, {Counted(6), 2});
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    Inside *shared;
    cudaMallocManaged(&shared, sizeof(Inside));
    new (shared) Inside{ten, 1};
    refer<<<1, 1>>>(out, *shared);
    cudaDeviceSynchronize();
    printf("%d\n", *out);
    twice([&] { shop::take<<<1, 1>>>(out, ten); cudaDeviceSynchronize(); });
    printf("%d\n", *out);
    void (*kernel)(int *, Counted) = shop::take;
    kernel<<<1, 1>>>(out, ten);
    cudaDeviceSynchronize();
    printf("%d, %d copies, %d ended\n", *out, Counted::copies, Counted::ended);
    cudaStreamDestroy(stream);
    cudaFree(shared), cudaFree(out);
}
