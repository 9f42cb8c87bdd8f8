// Read before every file, as nvcc reads cuda_runtime.h: what learners use without including it.
#pragma once
#if defined(__CUDACC_RTC_INT128__) && !defined(__SIZEOF_INT128__)
#define __SIZEOF_INT128__ 16
#endif
#include <math.h>
#include <limits.h>
#include <float.h>
#include <stdint.h>
#include <cuda_runtime.h>
#include <gpulearn/dialect.h>
