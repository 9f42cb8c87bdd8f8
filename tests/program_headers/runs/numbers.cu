// Numbers from text, arithmetic of stdlib.h, glibc's random numbers, sorting and searching.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct Pair {
    int key;
    char name[12];
};
static int by_value(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
static int by_key(const void *a, const void *b) { return ((const Pair *)a)->key - ((const Pair *)b)->key; }

int main() {
    printf("%d %d %ld %lld %.3f %.1f\n", atoi("42"), atoi(" -7x"), atol("123456789012"), atoll("-1"), atof("3.25e1"), atof("x"));
    char *end;
    const char *text = "12 0x1f 077 1.5e3rest";
    long a = strtol(text, &end, 10), b = strtol(end, &end, 0), c = strtol(end, &end, 0);
    double d = strtod(end, &end);
    printf("%ld %ld %ld %.1f [%s]\n", a, b, c, d, end);
    printf("%u %lu %ld\n", UINT32_C(7) << 3, UINT64_C(255), INT64_C(-255));
    errno = 0;
    long most = strtol("99999999999999999999", NULL, 10);
    printf("%d %d %lu\n", most == LONG_MAX, errno == ERANGE, strtoul("ffffffff", NULL, 16));
    printf("%f %d\n", strtof("0.1", NULL), abs(-3) + (int)labs(-4L));
    div_t q = div(17, 5);
    printf("%d %d\n", q.quot, q.rem);
    for (int i = 0; i < 5; ++i) printf("%d ", rand());
    srand(42);
    int first = rand() % 100;
    printf("%d %d\n", first, rand() % 100);
    unsigned state = 7;
    printf("%d ", rand_r(&state));
    srand48(1);
    double unit = drand48();
    printf("%.6f %ld %d\n", unit, lrand48(), RAND_MAX == INT_MAX);
    int numbers[100];
    long sum = 0;
    srand(1);
    for (int &n : numbers) sum += n = rand() % 1000;
    qsort(numbers, 100, sizeof(int), by_value);
    bool sorted = true;
    for (int i = 1; i < 100; ++i) sorted = sorted && numbers[i - 1] <= numbers[i];
    int key = numbers[37], *found = (int *)bsearch(&key, numbers, 100, sizeof(int), by_value), absent = -1;
    printf("%ld %d %d %d %d %d\n", sum, sorted, numbers[0], numbers[99], *found == key,
           bsearch(&absent, numbers, 100, sizeof(int), by_value) == NULL);
    Pair pairs[] = {{3, "three"}, {1, "one"}, {2, "two"}, {1, "uno"}};
    qsort(pairs, 4, sizeof(Pair), by_key);
    for (const Pair &pair : pairs) printf("%d=%s ", pair.key, pair.name);
    int i, count;
    float f;
    char word[16], letter;
    count = sscanf("10 2.5 word x", "%d %f %15s %c", &i, &f, word, &letter);
    printf("\n%d: %d %.1f %s %c\n", count, i, f, word, letter);
    printf("%.6f %.6f %.6f %d %d\n", sqrt(2.0), pow(2.0, 0.5), sin(M_PI / 6), isnan(NAN), isinf(INFINITY));
    return 0;
}

//~ exits: 0
//> 42 -7 123456789012 -1 32.500 0.0
//> 12 31 63 1500.0 [rest]
//> 56 255 -255
//> 1 1 4294967295
//> 0.100000 7
//> 3 2
//> 1804289383 846930886 1681692777 1714636915 1957747793 66 40
//> 1187592820 0.041630 976015093 1
//> 47684 1 11 996 1 1
//> 1=one 1=uno 2=two 3=three 
//> 4: 10 2.5 word x
//> 1.414214 1.414214 0.500000 1 1
