// note: The address is 1 byte past the start of what malloc() or new returned.
//> hello
int main() {
    char *text = (char *)malloc(8);
    memcpy(text, " hello", 7);
    char *start = text;
    while (*text == ' ') text++;
    printf("%s\n", text);
#ifdef FIXED
    free(start);
#else
    free(text); //~ H004
#endif
    (void)start;
}
