// va_list and what goes with it are built into the compiler.
#pragma once
