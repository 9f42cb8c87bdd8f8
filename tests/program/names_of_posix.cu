// What glibc has beside the C library of the standard, as far as programs have it here.
#include <alloca.h>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>

void texts() {
    char list[] = "a,,b;c", *rest = list;
    for (char *part; (part = strsep(&rest, ",;"));) printf("<%s>", part);
    printf(" %d\n", rest == NULL);

    char name[16], twice[] = "abcabc";
    char *end = stpcpy(stpcpy(name, "mid"), "night");
    printf("%s %d %s\n", name, int(end - name), strcasestr(name, "NIG"));
    printf("%s %s %s %d\n", index("a/b/c", '/'), rindex("a/b/c", '/'), strchrnul("abc", 'x') - 1, strcasestr("ab", "ba") == NULL);
    printf("%s %s %d\n", (char *)memrchr(twice, 'a', 6), (char *)memmem(twice, 6, "ca", 2), memmem(twice, 6, "cc", 2) == NULL);
    end = (char *)mempcpy(name, "north", 5);
    strcpy(end, "!");
    printf("%s %d", name, memccpy(name, "south", 'z', 3) == NULL);
    end = (char *)memccpy(name, "east", 's', 5);
    printf(" %s %d\n", name, int(end - name));
    bcopy("west", name, 5);
    printf("%s %d", name, bcmp(name, "west", 4));
    int length = strxfrm(name, "east", sizeof name);
    printf(" %s %d\n", name, length);
    printf("%d %d %d %d %d\n", ffs(0), ffs(8), ffs(-1), ffsl(1L << 40), ffsll(1LL << 62));
    char pairs[] = "abcd", turned[5] = "";
    swab(pairs, turned, 4);
    printf("%s %d %d\n", turned, toascii('a' + 128), isascii(200));

    char path[] = "/usr/lib/", file[] = "file", root[] = "/", deep[] = "a//b/c/", top[] = "/a", here[] = "x/";
    printf("%s %s %s", basename(path), basename(file), basename(root));
    printf(" %s %s %s\n", dirname(deep), dirname(top), dirname(here));
}

void streams() {
    char *text;
    int length = asprintf(&text, "%d of %s", 3, "four");
    printf("%d %s\n", length, text);
    free(text);
    printf("%d %d %d\n", fileno(stdin), fileno(stdout), fileno(stderr));
    fflush(stdout);
    length = write(1, "written\n", 8);
    length = 10 * length + dprintf(STDOUT_FILENO, "%s\n", "printed");
    putchar_unlocked('0' + length / 10);
    putc_unlocked('\n', stdout);

    FILE *file = tmpfile();
    fputs("hello", file);
    fpos_t place;
    fseeko(file, 2, SEEK_SET);
    fgetpos(file, &place);
    int first = fgetc(file);
    printf("%d %c", int(ftello(file)), first);
    fsetpos(file, &place);
    printf("%c\n", getc_unlocked(file));
    fclose(file);
}

void memory() {
    for (int n = 1; n < 4; n++) {
        int *numbers = (int *)alloca(n * sizeof(int)), sum = 0;
        for (int i = 0; i < n; i++) numbers[i] = i + 1;
        for (int i = 0; i < n; i++) sum += numbers[i];
        printf("%d ", sum);
    }
    void *page = valloc(100);
    printf("%d\n", int(size_t(page) % 4096));
    free(page);
    unsigned short state[3] = {1, 2, 3};
    double fraction = erand48(state);
    long number = nrand48(state);
    printf("%.6f %ld %ld\n", fraction, number, jrand48(state));
}

void threads() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    for (int i = 0; i < 2; i++) pthread_once(&once, [] { puts("once"); });
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&lock);
    if (pthread_rwlock_tryrdlock(&lock) || !pthread_rwlock_trywrlock(&lock)) puts("not shared");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_spinlock_t spin;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    printf("%d", pthread_spin_trylock(&spin) != 0);
    pthread_spin_unlock(&spin);
    sem_t free_places;
    sem_init(&free_places, 0, 2);
    sem_wait(&free_places);
    sem_wait(&free_places);
    int value, tried = sem_trywait(&free_places);
    sem_post(&free_places);
    sem_getvalue(&free_places, &value);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(70, &set);
    printf(" %d %d %d %d %d\n", tried, value, CPU_ISSET(70, &set) != 0, CPU_ISSET(6, &set) != 0, sched_yield());
}

int main() {
    texts();
    streams();
    memory();
    threads();
    jmp_buf out;
    if (setjmp(out) != 0) puts("back");
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    time_t start = 0;
    char date[32], error[64];
    printf("%d %d %s %s", sigismember(&signals, SIGINT), sigismember(&signals, SIGTERM), strerror_r(ENOENT, error, 64),
           ctime_r(&start, date));
    fflush(stdout);
    _exit(unsetenv("NONE"));
}
