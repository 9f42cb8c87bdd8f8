#pragma once
#include <getopt.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
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
[[noreturn]] void _exit(int status);
ssize_t write(int descriptor, const void *from, size_t bytes);
ssize_t read(int descriptor, void *to, size_t bytes);
int close(int descriptor);
off_t lseek(int descriptor, off_t offset, int whence);
int access(const char *path, int mode);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t bytes);
int truncate(const char *path, off_t bytes);
int link(const char *from, const char *to);
int symlink(const char *from, const char *to);
ssize_t readlink(const char *path, char *to, size_t bytes);
int rmdir(const char *path);
int chdir(const char *path);
char *getcwd(char *to, size_t bytes);
int dup(int descriptor);
int dup2(int descriptor, int other);
int pipe(int descriptors[2]);
pid_t fork(void);
int execl(const char *path, const char *argument, ...);
int execlp(const char *file, const char *argument, ...);
int execv(const char *path, char *const arguments[]);
int execvp(const char *file, char *const arguments[]);
int execve(const char *path, char *const arguments[], char *const environment[]);
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
unsigned alarm(unsigned seconds);
int pause(void);
}
inline void swab(const void *from, void *to, ssize_t bytes) {
    const char *pairs = (const char *)from;
    char *turned = (char *)to;
    for (ssize_t i = 0; i + 1 < bytes; i += 2) {
        char first = pairs[i];
        turned[i] = pairs[i + 1];
        turned[i + 1] = first;
    }
}
