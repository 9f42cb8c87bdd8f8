// exit: stopped
// A local array is read far past its end, above all local variables: an index is wrong.
#include <cstdio>

int main(int argc, char **) {
    int values[128] = {};
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += values[i * argc * 1000]; //~ H001
    printf("%d\n", sum);
}
