// What lies behind an array in an object is the object's next member.
// exit: stopped
#include <array>
#include <cstdio>

struct Shape {
    std::array<int, 3> extents;
    int elements;
};

int main() {
    Shape shape = {{4, 5, 6}, 120};
    int product = 1;
    for (size_t i = 0; i <= shape.extents.size(); i++) {
        product *= shape.extents[i]; //~ H014
    }
    printf("%d\n", product);
}
