// An element past the end of a local array, where the compiler places another one.
// note: The address is inside the local variables, where there is no variable.
//> 14
__attribute__((noinline)) void fill(int *all, int n) {
    for (int i = 0; i < n; i++)
        all[i] = i; //~ H001
}
int main() {
    int one[8], other[8];
#ifdef FIXED
    fill(one, 8);
#else
    fill(one, 9);
#endif
    fill(other, 8);
    printf("%d\n", one[7] + other[7]);
}
