// Variables of a thread by the words of C and of gcc, and by a macro.
#include <cstdio>

#define LOCAL thread_local

static __thread int first;
static LOCAL int second;

int count() {
    LOCAL int calls = 0;
    return ++calls;
}

int main() {
    first = 1;
    second = count() + count();
    printf("%d %d\n", first, second);
}
