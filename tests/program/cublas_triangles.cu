// cuBLAS: matrices of which one half is stored, batches found by pointers, factors on a diagonal, rotations.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <vector>

#define CUBLAS(x)                                                                  \
    do {                                                                           \
        cublasStatus_t status = (x);                                               \
        if (status != CUBLAS_STATUS_SUCCESS) {                                     \
            fprintf(stderr, "line %d: cuBLAS status %d\n", __LINE__, (int)status); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

template <class T>
struct Device {
    T *at;
    size_t n;
    Device(std::vector<T> values) : n(values.size()) {
        cudaMalloc(&at, n * sizeof(T));
        cudaMemcpy(at, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    Device(const Device &) = delete;
    ~Device() { cudaFree(at); }
    void show(const char *name) const {
        std::vector<T> values(n);
        cudaMemcpy(values.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        printf("%s:", name);
        for (T value : values) printf(" %g", double(value));
        printf("\n");
    }
};

int main() {
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER, lower = CUBLAS_FILL_MODE_LOWER;
    const float one = 1, two = 2, none = 0, half = 0.5f;

    // 3×3 in columns; which half counts is said by each call.
    Device<float> a({1, 2, 3, 4, 2, 5, 6, 7, 4});
    Device<float> b({1, 2, 3, 4, 5, 6}), c({1, 1, 1, 1, 1, 1}), x({1, 9, 2, 9, 3}), y({1, 1, 1});
    CUBLAS(cublasSsymv(handle, upper, 3, &two, a.at, 3, x.at, 2, &one, y.at, 1));
    y.show("symv");
    CUBLAS(cublasSsymm(handle, CUBLAS_SIDE_LEFT, lower, 3, 2, &one, a.at, 3, b.at, 3, &two, c.at, 3));
    c.show("symm, left");
    CUBLAS(cublasSsymm(handle, CUBLAS_SIDE_RIGHT, upper, 2, 3, &one, a.at, 3, b.at, 2, &none, c.at, 2));
    c.show("symm, right");

    Device<float> s({1, 1, 1, 1}), r({3, 4});
    CUBLAS(cublasSsyrk(handle, lower, CUBLAS_OP_N, 2, 3, &one, b.at, 2, &none, s.at, 2));
    s.show("syrk");
    CUBLAS(cublasSsyrk(handle, upper, CUBLAS_OP_T, 2, 3, &one, b.at, 3, &one, s.at, 2));
    s.show("syrk, turned");
    CUBLAS(cublasSsyr(handle, upper, 2, &two, r.at, 1, s.at, 2));
    s.show("syr");

    Device<float> p({1, 2, 3, 4, 5, 6});
    CUBLAS(cublasStrmm(handle, CUBLAS_SIDE_LEFT, upper, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 2, &two, a.at, 3, b.at, 3,
                       p.at, 3));
    p.show("trmm");
    CUBLAS(cublasStrsm(handle, CUBLAS_SIDE_LEFT, upper, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 2, &half, a.at, 3, p.at,
                       3));
    p.show("trsm");
    CUBLAS(cublasStrsm(handle, CUBLAS_SIDE_RIGHT, lower, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 2, 3, &one, a.at, 3, p.at, 2));
    p.show("trsm, right");
    Device<float> v({1, 2, 3});
    CUBLAS(cublasStrmv(handle, lower, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, a.at, 3, v.at, 1));
    v.show("trmv");
    CUBLAS(cublasStrsv(handle, lower, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, a.at, 3, v.at, 1));
    v.show("trsv");
    CUBLAS(cublasStrmv(handle, upper, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 3, a.at, 3, v.at, 1));
    v.show("trmv, turned");

    Device<double> m({1, 2, 3, 4, 5, 6}), d({2, 0, 10}), out({0, 0, 0, 0, 0, 0});
    CUBLAS(cublasDdgmm(handle, CUBLAS_SIDE_LEFT, 3, 2, m.at, 3, d.at, 1, out.at, 3));
    out.show("dgmm, left");
    CUBLAS(cublasDdgmm(handle, CUBLAS_SIDE_RIGHT, 2, 3, m.at, 2, d.at, 1, out.at, 2));
    out.show("dgmm, right");
    Device<double> left({1, 2}), right({3, 4});
    const double cosine = 0.5, sine = 2;
    CUBLAS(cublasDrot(handle, 2, left.at, 1, right.at, 1, &cosine, &sine));
    left.show("rot, x");
    right.show("rot, y");

    // Three products of 2×2 matrices that lie anywhere.
    Device<float> all({1, 2, 3, 4, 0, 1, 1, 0, 2, 0, 0, 2}), results({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    Device<const float *> factors({all.at, all.at + 4, all.at + 8}), others({all.at + 4, all.at + 8, all.at});
    Device<float *> places({results.at + 8, results.at, results.at + 4});
    CUBLAS(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, factors.at, 2, others.at, 2, &none,
                              places.at, 2, 3));
    results.show("gemmBatched");
    printf("a fill mode that is none: %d\n",
           (int)cublasSsyrk(handle, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, 2, 3, &one, b.at, 2, &none, s.at, 2));
    CUBLAS(cublasDestroy(handle));
}
