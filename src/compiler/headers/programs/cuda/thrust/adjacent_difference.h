// See thrust/detail/scan.h.
#pragma once
#include <thrust/detail/scan.h>
