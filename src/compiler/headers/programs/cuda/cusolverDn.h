#error "cusolverDn.h: cuSOLVER is not to be had here; cuBLAS, cuDNN convolutions and NCCL are"
