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
#include <cmath>
#include <cstdlib>
#include <float.h>
#include <limits.h>
#include <new>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cuda_runtime.h>
#include <gpulearn/builtins.h>
#include <gpulearn/divisor.h>
#include <gpulearn/initialised.h>
#include <gpulearn/local_array.h>
#include <gpulearn/variable_array.h>
// A program that says nothing of C++'s library has no use for it.
#ifndef __GPULEARN_ONLY_C
#include <cstdint>
#include <limits>
#include <utility>
#include <gpulearn/atomic_builtins.h>
// <cmath> brings std::min and std::max where nvcc's host compiler is gcc.
#include <gpulearn/ranges.h>
#endif
#include <gpulearn/dialect.h>
