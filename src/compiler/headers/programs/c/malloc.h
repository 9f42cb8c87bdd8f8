#pragma once
#include <stdlib.h>
#define M_TRIM_THRESHOLD (-1)
#define M_TOP_PAD (-2)
#define M_MMAP_THRESHOLD (-3)
#define M_MMAP_MAX (-4)
struct mallinfo {
    int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};
extern "C" {
struct mallinfo mallinfo(void);
int mallopt(int parameter, int value);
int malloc_trim(size_t pad);
size_t malloc_usable_size(void *memory);
}
