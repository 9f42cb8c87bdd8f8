// A text is formatted with all values that its format asks for.
#include <cstdio>

int main() {
    char name[32];
    snprintf(name, sizeof name, "frame%04d.ppm", 12);
    puts(name);
}
