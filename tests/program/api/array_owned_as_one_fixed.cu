// A pointer that owns an array is given one.
#include <cstdio>
#include <memory>

int main() {
    std::unique_ptr<float[]> h_x(new float[4]);
    h_x[3] = 0.5f;
    printf("%g\n", h_x[3]);
    h_x.reset();
}
