//> 0
__attribute__((noinline)) int mean(const int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
#ifdef FIXED
    if (count == 0) return 0;
#endif
    return sum / count; //~ H012
}
int main(int count, char **) {
    int values[2] = {3, 4};
    printf("%d\n", mean(values, count - 1));
}
