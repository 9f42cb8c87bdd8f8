// Read before every program: what nvcc's own headers bring in before the first line.
#pragma once
#if defined(__CUDACC_RTC_INT128__) && !defined(__SIZEOF_INT128__)
#define __SIZEOF_INT128__ 16
#endif
// There is no host compiler: host functions are compiled as device functions, and run as one thread.
#undef __host__
#define __host__
// All is compiled for the device; annotated lambdas would need an option that this compiler lacks.
#undef __device__
#define __device__
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cuda_runtime.h>
#include <gpulearn/builtins.h>
