// See thrust/detail/system.h.
#pragma once
#include <thrust/detail/system.h>
