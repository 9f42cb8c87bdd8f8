#pragma once
#error "cublas.h is the interface of before CUDA 4, without handles: include <cublas_v2.h>"
