// What a variadic function is given for its dots.
//> 1 2.5 c 5000000000 text 4294967295
int main() {
    float f = 2.5f;
    char c = 'c';
    short s = 1;
    fprintf(stderr, "%d %.1f %c %ld %s %u\n", s, f, c, 5000000000l, "text", ~0u);
}
