/* A program here receives no signals: what sets or sends one is declared alone. */
#pragma once
#include <sys/types.h>
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
typedef void (*sighandler_t)(int);
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
typedef struct { int si_signo, si_errno, si_code; void *si_addr; } siginfo_t;
struct sigaction {
    union {
        sighandler_t sa_handler;
        void (*sa_sigaction)(int, siginfo_t *, void *);
    };
    sigset_t sa_mask;
    int sa_flags;
};
extern "C" {
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigprocmask(int how, const sigset_t *set, sigset_t *before);
sighandler_t signal(int number, sighandler_t handler);
int raise(int number);
int kill(pid_t process, int number);
}
inline int sigemptyset(sigset_t *set) { return *set = 0, 0; }
inline int sigfillset(sigset_t *set) { return *set = ~0ul, 0; }
inline int sigaddset(sigset_t *set, int number) { return *set |= 1ul << (number - 1), 0; }
inline int sigdelset(sigset_t *set, int number) { return *set &= ~(1ul << (number - 1)), 0; }
inline int sigismember(const sigset_t *set, int number) { return *set >> (number - 1) & 1; }
