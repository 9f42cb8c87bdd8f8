#error "thrust/host_vector.h: Thrust needs a host compiler and is not to be had here. Write the kernel, or use the parts of CUB for a block or a warp"
