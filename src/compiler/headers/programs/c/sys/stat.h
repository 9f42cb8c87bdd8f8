/* What there is on a file is not known to programs here: the functions are declared alone. */
#pragma once
#include <sys/types.h>
struct stat {
    unsigned long st_dev, st_ino, st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    unsigned st_gid;
    unsigned long st_rdev;
    off_t st_size;
    long st_blksize, st_blocks;
    time_t st_atime, st_mtime, st_ctime;
};
#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXU 0700
#define S_IRGRP 040
#define S_IRWXG 070
#define S_IROTH 04
#define S_IRWXO 07
extern "C" {
int stat(const char *path, struct stat *to);
int lstat(const char *path, struct stat *to);
int fstat(int descriptor, struct stat *to);
int mkdir(const char *path, mode_t mode);
int chmod(const char *path, mode_t mode);
}
