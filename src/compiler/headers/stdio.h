// printf is built into the compiler.
#pragma once
#include <stddef.h>
