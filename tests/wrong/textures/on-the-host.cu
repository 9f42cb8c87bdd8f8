// The host turns the picture.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// When it returns, `out` is complete.
void rotate(const float *in, float *out, int height, int width, int degrees) { //~ too-much-work: bytes_to_host
    std::vector<float> from(height * width), to(height * width);
    CHECK(cudaMemcpy(from.data(), in, height * width * sizeof(float), cudaMemcpyDeviceToHost));
    auto at = [&](int j, int i) {
        return 0 <= j && j < height && 0 <= i && i < width ? from[j * width + i] : 0;
    };
    float angle = degrees * 3.14159265f / 180, cosine = cosf(angle), sine = sinf(angle);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
            float s = cosine * u + sine * v + 0.5f * width - 0.5f;
            float t = cosine * v - sine * u + 0.5f * height - 0.5f;
            int i = floorf(s), j = floorf(t);
            float a = s - i, b = t - j;
            to[y * width + x] = (1 - b) * ((1 - a) * at(j, i) + a * at(j, i + 1)) +
                                b * ((1 - a) * at(j + 1, i) + a * at(j + 1, i + 1));
        }
    }
    CHECK(cudaMemcpy(out, to.data(), height * width * sizeof(float), cudaMemcpyHostToDevice));
}

int main() {
    // An L, turned by 90 degrees.
    const int n = 4;
    const float host_in[n * n] = {0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 9, 0};
    float *in, *out, host_out[n * n];
    CHECK(cudaMalloc(&in, sizeof(host_in)));
    CHECK(cudaMalloc(&out, sizeof(host_out)));
    CHECK(cudaMemcpy(in, host_in, sizeof(host_in), cudaMemcpyHostToDevice));
    rotate(in, out, n, n, 90);
    CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            printf("%3.0f%c", fabsf(host_out[y * n + x]), x < n - 1 ? ' ' : '\n');
        }
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
