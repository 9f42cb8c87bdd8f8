#pragma once
#include <getopt.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
extern "C" {
unsigned sleep(unsigned seconds);
int usleep(useconds_t microseconds);
long sysconf(int name);
int getpagesize(void);
pid_t getpid(void);
int gethostname(char *to, size_t bytes);
int isatty(int descriptor);
int unlink(const char *path);
}
