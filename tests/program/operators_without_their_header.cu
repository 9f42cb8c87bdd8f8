// Common libraries give the operators as functions with <algorithm>, <vector>, <numeric> and <string>, too.
#include <algorithm>
#include <numeric>
#include <vector>
#include <iostream>

int main() {
    std::vector<int> v{1, 3, 2};
    std::sort(v.begin(), v.end(), std::greater<int>());
    std::cout << v[0] << " " << std::accumulate(v.begin(), v.end(), 1, std::multiplies<int>()) << std::endl;
}
