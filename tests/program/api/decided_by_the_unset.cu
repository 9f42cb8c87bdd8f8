// What is never written goes through a structure to the branch that it decides.
#include <cstdio>
#include <cstdlib>

struct Pair {
    int first, second;
};

int main(int count, char **) {
    int *values = (int *)malloc(2 * sizeof(int));
    values[0] = count;
    Pair pair = {values[0], values[1]}; //~ I001
    if (pair.first > 0) puts("one argument or more");
    if (pair.second > 100)
        puts("large");
    else
        puts("small");
    free(values);
}
