// What the C library allocated is deleted, and one object is deleted as an array.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    char *name = strdup("saxpy");
    int *counts = (int *)calloc(4, sizeof(int));
    double *one = new double(0.5);
    printf("%s %d %g\n", name, counts[3], *one);
    delete name; //~ H013
    delete[] counts; //~ H013
    delete[] one; //~ H013
}
