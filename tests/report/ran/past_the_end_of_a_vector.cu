// The range is one longer than the vector.
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <cstdio>
int main() {
  thrust::device_vector<int> k(20, 1), v(20, 1);
  printf("%d\n", thrust::inner_product(k.begin(), k.end() + 1, v.begin(), 0));
}
