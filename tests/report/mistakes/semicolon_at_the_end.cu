__device__ float ten = 10

// The kernel comes later.
