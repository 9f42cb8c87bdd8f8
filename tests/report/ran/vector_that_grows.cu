// The pointer leads to the memory that the vector had before it grew.
#include <thrust/device_vector.h>
__global__ void touch(float* p, int n) { int i = threadIdx.x; if (i < n) p[i] += 1; }
int main() {
  thrust::device_vector<float> v(100);
  float* raw = thrust::raw_pointer_cast(v.data());
  v.resize(200);
  touch<<<1, 128>>>(raw, 100);
  cudaDeviceSynchronize();
}
