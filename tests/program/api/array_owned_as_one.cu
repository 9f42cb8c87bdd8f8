// A pointer that owns one object is given an array.
#include <cstdio>
#include <memory>

int main() {
    std::unique_ptr<float> h_x(new float[4]);
    h_x.get()[3] = 0.5f;
    printf("%g\n", h_x.get()[3]);
    h_x.reset(); //~ H013
}
