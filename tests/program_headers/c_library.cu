// The C library in one program; names as they reach the tool.
//~ calls: vprintf fprintf snprintf sprintf vfprintf puts putchar fputs fflush sscanf fopen malloc free calloc realloc
//~ calls: aligned_alloc posix_memalign atoi atof strtol strtod rand srand getenv exit atexit abort strlen strcmp strcpy
//~ calls: __gpulearn_strchr strtok memcmp memmove time gettimeofday clock_gettime usleep __errno_location __assertfail
//~ calls: strcasecmp strerror
//~ calls no others
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    abort();
}
static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void at_end(void) { puts("end"); }

int main(int argc, char *argv[]) {
    char text[64];
    printf("%s %d %lld %zu %5.2f %%\n", argv[0], argc, 1LL, sizeof text, M_PI);
    fprintf(stdout, "%" PRIu64 "\n", (uint64_t)1);
    snprintf(text, sizeof text, "%d", argc);
    sprintf(text, "%s-%c", "a", 'b');
    fputs(text, stderr);
    putchar('\n');
    fflush(stdout);
    int value = atoi(text);
    sscanf(text, "%d", &value);
    if (!fopen("data.bin", "rb")) fail("%s: %s\n", "data.bin", strerror(errno));
    int *numbers = (int *)malloc(10 * sizeof(int));
    numbers = (int *)realloc(numbers, 20 * sizeof(int));
    int *zeros = (int *)calloc(10, sizeof(int));
    void *aligned = aligned_alloc(64, 128), *other;
    posix_memalign(&other, 64, 128);
    srand((unsigned)time(NULL));
    for (int i = 0; i < 20; ++i) numbers[i] = rand() % 100;
    qsort(numbers, 20, sizeof(int), ascending);
    int *found = (int *)bsearch(&value, numbers, 20, sizeof(int), ascending);
    double d = atof("1.5") + strtod("2", nullptr) + strtol("0x10", NULL, 0);
    if (strlen(text) > 3 && strcmp(text, "x") == 0 && strcasecmp(text, "X") == 0) strcpy(text, "y");
    if (strchr(text, '-')) memmove(text, text + 1, 3);
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) d += toupper(*part) + isdigit(*part);
    memcpy(zeros, numbers, 40);
    memset(numbers, 0, 40);
    d += memcmp(zeros, numbers, 40);
    struct timeval tv;
    gettimeofday(&tv, NULL);
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    clock_t ticks = clock();
    usleep(10);
    assert(numbers[0] == 0 && "zeros");
    bool finite = isfinite(d) && !isnan(d) && d < INFINITY && fabs(d) >= 0 && d < INT_MAX;
    atexit(at_end);
    free(zeros);
    free(aligned);
    free(other);
    free(numbers);
    if (getenv("HOME") || found || !finite) exit(EXIT_FAILURE);
    return (int)(ticks / CLOCKS_PER_SEC) + (int)tv.tv_sec + (int)ts.tv_nsec;
}
