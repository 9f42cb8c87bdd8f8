// A text is formatted without a value that its format asks for.
// exit: stopped
#include <cstdio>

int main() {
    char name[32];
    snprintf(name, sizeof name, "frame%04d.ppm"); //~ I003
    puts(name);
}
