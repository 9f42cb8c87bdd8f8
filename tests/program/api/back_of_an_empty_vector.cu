// The last element of a vector is used after the last was removed.
// exit: stopped
#include <cstdio>
#include <vector>

int main() {
    std::vector<int> levels = {3, 5};
    while (levels.back() > 2) { //~ H014
        printf("%d\n", levels.back());
        levels.pop_back();
    }
}
