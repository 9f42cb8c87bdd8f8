// Functions for the end, the last registered first, then the exit code.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void first() { puts("first registered"); }
static void second() { puts("second registered"); }

int main() {
    assert(first != second);
    atexit(first);
    atexit(second);
    puts("working");
    if (getenv("A_NAME_THAT_NOBODY_USES") == NULL) exit(7);
    return 1;
}

//~ exits: 7
//> working
//> second registered
//> first registered
