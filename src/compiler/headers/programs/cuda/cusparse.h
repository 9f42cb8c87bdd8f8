#error "cusparse.h: cuSPARSE is not to be had here; cuBLAS, cuDNN convolutions and NCCL are"
