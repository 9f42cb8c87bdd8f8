// Thrust's headers bring in <iostream>, <functional> brings in <vector>, and <random> brings in <numeric>.
#include <thrust/detail/type_traits.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

int main() {
    thrust::device_vector<int> five(4, 5);
    std::cout << thrust::reduce(five.begin(), five.end()) << std::endl;
}
