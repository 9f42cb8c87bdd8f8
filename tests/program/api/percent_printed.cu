// A percent sign in a format begins a conversion: "% d" asks for a value.
// exit: stopped
#include <cstdio>

int main() {
    printf("half done\n");
    printf("100% done\n"); //~ I003
}
