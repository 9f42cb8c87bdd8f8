#error "nvml.h: NVML is not to be had here; cudaGetDeviceProperties and cudaMemGetInfo are"
