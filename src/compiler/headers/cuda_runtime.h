// Types, built-in variables and device functions are built into the compiler.
#pragma once
#include <stddef.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
