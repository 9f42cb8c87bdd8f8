// A vector gets room by reserve(), and its elements are set as if they were there.
// exit: stopped
#include <cstdio>
#include <vector>

int main() {
    const int n = 8;
    std::vector<float> h_x;
    h_x.reserve(n);
    for (int i = 0; i < n; i++) {
        h_x[i] = i; //~ H014
    }
    for (float x : h_x) printf("%g\n", x);
    printf("%zu elements\n", h_x.size());
}
