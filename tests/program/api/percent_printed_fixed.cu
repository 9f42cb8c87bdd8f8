// A percent sign that is printed is written twice.
#include <cstdio>

int main() {
    printf("half done\n");
    printf("100%% done\n");
}
