// printf is built into the compiler: a call of vprintf with the arguments packed. The others are
// answered by the tool. Streams are numbers to it; there are no files.
#pragma once
#include <stddef.h>

typedef struct _IO_FILE FILE;
typedef long fpos_t;
typedef long ssize_t;
typedef long off_t;
#define stdin  ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)

#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define L_tmpnam 20
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2

extern "C" {
int fprintf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int dprintf(int descriptor, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vprintf(const char *format, va_list arguments);
int vfprintf(FILE *stream, const char *format, va_list arguments);
int vsprintf(char *to, const char *format, va_list arguments);
int vsnprintf(char *to, size_t bytes, const char *format, va_list arguments);
int vasprintf(char **to, const char *format, va_list arguments);
int scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
int fscanf(FILE *stream, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int sscanf(const char *from, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int vscanf(const char *format, va_list arguments);
int vfscanf(FILE *stream, const char *format, va_list arguments);
int vsscanf(const char *from, const char *format, va_list arguments);
int puts(const char *text);
int putchar(int character);
int fputs(const char *text, FILE *stream);
int fputc(int character, FILE *stream);
int putc(int character, FILE *stream);
int putchar_unlocked(int character);
int putc_unlocked(int character, FILE *stream);
int getchar(void);
int fgetc(FILE *stream);
int getc(FILE *stream);
int getchar_unlocked(void);
int getc_unlocked(FILE *stream);
int ungetc(int character, FILE *stream);
char *fgets(char *to, int bytes, FILE *stream);
size_t fread(void *to, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
int fflush(FILE *stream);
FILE *fopen(const char *path, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *stream);
FILE *tmpfile(void);
char *tmpnam(char *to);
FILE *fdopen(int descriptor, const char *mode);
FILE *fmemopen(void *memory, size_t bytes, const char *mode);
FILE *open_memstream(char **to, size_t *bytes);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
int fileno(FILE *stream);
int fclose(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
void setbuf(FILE *stream, char *buffer);
int setvbuf(FILE *stream, char *buffer, int mode, size_t bytes);
int remove(const char *path);
int rename(const char *from, const char *to);
void perror(const char *text);
void *realloc(void *block, size_t bytes);
}

inline ssize_t getdelim(char **line, size_t *bytes, int stop, FILE *stream) {
    size_t n = 0;
    for (int next = 0; next != stop && (next = fgetc(stream)) != EOF;) {
        if (!*line || n + 2 > *bytes) *line = (char *)realloc(*line, *bytes = *line ? 2 * n + 2 : 120);
        (*line)[n++] = char(next);
    }
    if (n == 0) return -1;
    (*line)[n] = 0;
    return ssize_t(n);
}
inline ssize_t getline(char **line, size_t *bytes, FILE *stream) { return getdelim(line, bytes, '\n', stream); }

inline int fseeko(FILE *stream, off_t offset, int whence) { return fseek(stream, offset, whence); }
inline off_t ftello(FILE *stream) { return ftell(stream); }
inline int fgetpos(FILE *stream, fpos_t *to) { return (*to = ftell(stream)) < 0 ? -1 : 0; }
inline int fsetpos(FILE *stream, const fpos_t *position) { return fseek(stream, *position, SEEK_SET); }
inline void flockfile(FILE *) {}
inline void funlockfile(FILE *) {}
