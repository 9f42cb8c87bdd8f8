// The last element of a vector is used while there is one.
#include <cstdio>
#include <vector>

int main() {
    std::vector<int> levels = {3, 5};
    while (!levels.empty() && levels.back() > 2) {
        printf("%d\n", levels.back());
        levels.pop_back();
    }
}
