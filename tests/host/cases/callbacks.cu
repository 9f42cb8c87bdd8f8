// What is called calls back: a sort, and what runs at the end.
//> 1 2 3 5 8 9
//> a b c
//> goodbye
// result: 7
extern "C" void sort(void *, size_t, size_t, int (*)(const void *, const void *));
int compared = 0;
int ints(const void *a, const void *b) { compared++; return *(const int *)a - *(const int *)b; }
int chars(const void *a, const void *b) {
    // A sort within the comparison of another.
    int inner[2] = {2, 1};
    sort(inner, 2, sizeof(int), ints);
    return inner[0] == 1 ? *(const char *)a - *(const char *)b : 0;
}
void goodbye() { printf("goodbye\n"); }
int main() {
    int a[6] = {5, 3, 9, 1, 8, 2};
    sort(a, 6, sizeof(int), ints);
    for (int i = 0; i < 6; i++) printf("%d%s", a[i], i == 5 ? "\n" : " ");
    char c[3] = {'c', 'a', 'b'};
    sort(c, 3, 1, chars);
    printf("%c %c %c\n", c[0], c[1], c[2]);
    atexit(goodbye);
    exit(7);
}
