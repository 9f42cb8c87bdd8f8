// A span of the first half of a vector is read as if it were all of it.
// exit: stopped
#include <cstdio>
#include <span>
#include <vector>

int main() {
    std::vector<int> all = {1, 2, 3, 4, 5, 6};
    std::span<int> half = std::span<int>(all).first(3);
    int sum = 0;
    for (size_t i = 0; i < all.size(); i++) {
        sum += half[i]; //~ H014
    }
    printf("%d\n", sum);
}
