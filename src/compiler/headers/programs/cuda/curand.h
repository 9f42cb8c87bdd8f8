#error "curand.h: cuRAND is not to be had here. Make random numbers with rand, with <random>, or in the kernel from the thread's number by a hash"
