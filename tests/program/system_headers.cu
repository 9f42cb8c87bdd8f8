// Headers of the system that programs include, and hardly use.
#include <clocale>
#include <csignal>
#include <cfenv>
#include <cstdio>
#include <fcntl.h>
#include <fenv.h>
#include <libgen.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <values.h>

// As a well-known book's header ends threads: nothing here calls it.
void destroy_thread(pthread_t thread) { pthread_cancel(thread); }

void seconds(double *to) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    *to = used.ru_utime.tv_sec;
}

long size_of(const char *path) {
    struct stat known;
    return stat(path, &known) == 0 && S_ISREG(known.st_mode) ? known.st_size : -1;
}

int main() {
    setlocale(LC_ALL, "");
    printf("%s %s %d\n", setlocale(LC_ALL, NULL), std::setlocale(LC_NUMERIC, "C"), setlocale(LC_ALL, "xx_YY") == NULL);
    printf("%d %d %d\n", MAX(SIGINT, SIGFPE), howmany(100, 32), FE_TONEAREST);
}
