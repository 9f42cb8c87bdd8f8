//> 1
int main() {
    int local[4] = {1};
    int *p = local;
#ifdef FIXED
    p = (int *)malloc(16);
#endif
    free(p); //~ H004
    printf("%d\n", local[0]);
}
