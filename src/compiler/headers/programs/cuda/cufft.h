#error "cufft.h: cuFFT is not to be had here; cuBLAS, cuDNN convolutions and NCCL are"
