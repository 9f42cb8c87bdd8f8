// A count that begins with no value goes to a stream, behind other numbers.
#include <iostream>
#include <sstream>
#include <vector>

int larger(const std::vector<int> &of, int than) {
    int count;
    for (int x : of)
        if (x > than) count++;
    return count;
}

int main() {
    std::ostringstream kept;
    for (int i = 0; i < 2; i++) kept << i << " " << 2.5f << " " << 1u << " ";
    std::cout << kept.str() << 7LL << "\n";
    std::cout << larger({1, 2, 3}, 1) << "\n"; //~ I002
}
