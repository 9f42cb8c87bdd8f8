// Read before every file, as nvcc reads cuda_runtime.h: what learners use without including it.
#pragma once
#include <math.h>
#include <limits.h>
#include <float.h>
#include <stdint.h>
#include <cuda_runtime.h>
