// assert is built into the compiler; NDEBUG turns it off wherever this is included.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
#ifndef static_assert
#define _Static_assert static_assert
#endif
