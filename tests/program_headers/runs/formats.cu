// printf and its kin, on streams and in memory.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int n = printf("%d %i %u %x %X %o %c %s %%\n", -1, 2, 3u, 255, 255, 8, 'c', "text");
    printf("%d characters\n", n);
    printf("%5d|%-5d|%05d|%+d|% d|%.3d\n", 42, 42, 42, 42, 42, 42);
    printf("%ld %lld %zu %td %hd %hhd %" PRId64 " %" PRIu64 "\n", 1L << 40, -1LL << 40, sizeof(int), (ptrdiff_t)-3,
           (short)70000, (char)300, INT64_MIN, UINT64_MAX);
    printf("%f %.2f %10.3f %-10.1f| %e %g %g %G %a\n", 1.5, 2.345, 3.14159, 2.5, 12345.678, 0.0001, 1e20, 1e-10, 1.0);
    printf("%*d|%-*d|%.*f|%.*s\n", 6, 1, 6, 2, 2, 3.14159, 3, "abcdef");
    printf("%10s|%-10s|%.2s|%s\n", "right", "left", "cut", argc > 0 ? "args" : "none");
    float f = 0.1f;
    printf("%f %d %c%c\n", f, true, 65, 'B');
    char text[8];
    int wanted = snprintf(text, sizeof text, "%s", "longer than eight");
    printf("%s %d\n", text, wanted);
    printf("%d\n", sprintf(text, "%d-%d", 1, 2));
    puts(text);
    putchar('x');
    putc('y', stdout);
    fputc('z', stdout);
    fputs("\nfputs\n", stdout);
    fwrite("fwrite\n", 1, 7, stdout);
    fprintf(stdout, "%s %d %f\n", "fprintf", 1, 2.0);
    fflush(stdout);
    return 0;
}

//~ exits: 0
//> -1 2 3 ff FF 10 c text %
//> 25 characters
//>    42|42   |00042|+42| 42|042
//> 1099511627776 -1099511627776 4 -3 4464 44 -9223372036854775808 18446744073709551615
//> 1.500000 2.35      3.142 2.5       | 1.234568e+04 0.0001 1e+20 1E-10 0x1p+0
//>      1|2     |3.14|abc
//>      right|left      |cu|args
//> 0.100000 1 AB
//> longer  17
//> 3
//> 1-2
//> xyz
//> fputs
//> fwrite
//> fprintf 1 2.000000
