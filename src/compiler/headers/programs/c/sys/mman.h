// Memory of whole pages; there are no files to map.
#pragma once
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20
#define MAP_ANON MAP_ANONYMOUS
#define MAP_LOCKED 0x2000
#define MAP_POPULATE 0x8000
#define MAP_FAILED ((void *)-1)
#define MADV_NORMAL 0

static inline void *mmap(void *, size_t bytes, int, int flags, int, off_t) {
    void *pages = flags & MAP_ANONYMOUS ? aligned_alloc(4096, (bytes + 4095) / 4096 * 4096) : (void *)0;
    if (!pages) {
        errno = flags & MAP_ANONYMOUS ? ENOMEM : ENODEV;
        return MAP_FAILED;
    }
    return memset(pages, 0, bytes);
}
static inline int munmap(void *pages, size_t) { return free(pages), 0; }
static inline int mprotect(void *, size_t, int) { return 0; }
static inline int madvise(void *, size_t, int) { return 0; }
static inline int mlock(const void *, size_t) { return 0; }
static inline int munlock(const void *, size_t) { return 0; }
