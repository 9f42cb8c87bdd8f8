// Built into the compiler.
#pragma once
#include <cuda_runtime.h>
