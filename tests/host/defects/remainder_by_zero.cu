//> 5
__attribute__((noinline)) unsigned slot(unsigned key, unsigned slots) {
#ifdef FIXED
    if (slots == 0) return key;
#endif
    return key % slots; //~ H012
}
int main(int count, char **) {
    printf("%d\n", (int)slot(5, count - 1));
}
