// A sparse matrix times a vector, one row a warp, with classes on both sides.
#include <cstdio>
#include <vector>

struct Csr {
    std::vector<int> starts, columns;
    std::vector<double> values;
    int rows() const { return (int)starts.size() - 1; }
    std::vector<double> operator*(const std::vector<double> &x) const {
        std::vector<double> y(rows());
        for (int r = 0; r < rows(); r++)
            for (int k = starts[r]; k < starts[r + 1]; k++) y[r] += values[k] * x[columns[k]];
        return y;
    }
};

Csr laplacian(int n) {
    Csr m;
    m.starts.push_back(0);
    for (int r = 0; r < n; r++) {
        for (int c : {r - 1, r, r + 1}) {
            if (c < 0 || c >= n) continue;
            m.columns.push_back(c);
            m.values.push_back(c == r ? 2 : -1);
        }
        m.starts.push_back((int)m.columns.size());
    }
    return m;
}

template <class T>
T *to_device(const std::vector<T> &v) {
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

__global__ void spmv(int rows, const int *starts, const int *columns, const double *values, const double *x, double *y) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= rows) return;
    double sum = 0;
    for (int k = starts[warp] + lane; k < starts[warp + 1]; k += 32) sum += values[k] * x[columns[k]];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[warp] = sum;
}

int main() {
    Csr m = laplacian(300);
    std::vector<double> x(m.rows());
    for (int i = 0; i < m.rows(); i++) x[i] = i * i;
    auto *starts = to_device(m.starts);
    auto *columns = to_device(m.columns);
    auto *values = to_device(m.values);
    auto *d_x = to_device(x);
    std::vector<double> y(m.rows());
    double *d_y;
    cudaMalloc(&d_y, y.size() * sizeof(double));
    spmv<<<(m.rows() * 32 + 127) / 128, 128>>>(m.rows(), starts, columns, values, d_x, d_y);
    cudaMemcpy(y.data(), d_y, y.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%zu nonzeros, y[1] = %g, y[299] = %g, same: %d\n", m.values.size(), y[1], y[299], y == m * x);
    cudaFree(starts);
    cudaFree(columns);
    cudaFree(values);
    cudaFree(d_x);
    cudaFree(d_y);
}
