#error "curand_kernel.h: cuRAND is not to be had here. Make random numbers in the kernel from the thread's number by a hash, or on the host"
