// What multiply_all() should do, on the host.
#include <vector>

void multiply_all(const float *a, const float *b, float *c, int count) {
    const int SIZE = 16, ALL = count * SIZE * SIZE;
    std::vector<float> x(ALL), y(ALL), z(ALL);
    cudaMemcpy(x.data(), a, ALL * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, ALL * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < ALL; i++) {
        int first = i / (SIZE * SIZE) * SIZE * SIZE, row = i / SIZE % SIZE, col = i % SIZE;
        float sum = 0;
        for (int k = 0; k < SIZE; k++) {
            sum += x[first + row * SIZE + k] * y[first + k * SIZE + col];
        }
        z[i] = sum;
    }
    cudaMemcpy(c, z.data(), ALL * sizeof(float), cudaMemcpyHostToDevice);
}
