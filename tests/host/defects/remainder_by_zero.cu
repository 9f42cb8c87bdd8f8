//> 5
__attribute__((noinline)) unsigned long long slot(unsigned long long key, unsigned long long slots) {
#ifdef FIXED
    if (slots == 0) return key;
#endif
    return key % slots; //~ H012
}
int main(int count, char **) {
    printf("%d\n", (int)slot(5, count - 1));
}
