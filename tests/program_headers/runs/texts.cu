// string.h, strings.h and ctype.h.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int x) { return (x > 0) - (x < 0); }

int main() {
    char buffer[64];
    strcpy(buffer, "hello");
    strcat(buffer, ", ");
    strncat(buffer, "world and more", 5);
    printf("%s %zu %zu\n", buffer, strlen(buffer), strnlen(buffer, 3));
    printf("%d %d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), strcmp("a", "a"), sign(strcmp("a", "ab")));
    printf("%d %d %d\n", strncmp("abc", "abd", 2), strcasecmp("ABC", "abc"), sign(strncasecmp("ABx", "abY", 3)));
    const char *text = "a/b/c.txt";
    printf("%s %s %s %s\n", strchr(text, '/'), strrchr(text, '/'), strstr(text, "c."), strpbrk(text, ".b"));
    printf("%d %d %d\n", strchr(text, 'z') == NULL, strstr(text, "zz") == NULL, (int)(strchr(text, 0) - text));
    printf("%zu %zu\n", strspn("123abc", "0123456789"), strcspn("abc;def", ";,"));
    char line[] = " one, two,,three ";
    for (char *part = strtok(line, " ,"); part; part = strtok(NULL, " ,")) printf("[%s]", part);
    char other[] = "k=v;l=w", *rest;
    for (char *part = strtok_r(other, ";", &rest); part; part = strtok_r(NULL, ";", &rest)) printf("<%s>", part);
    printf("\n");
    char field[8];
    memset(field, '#', sizeof field);
    strncpy(field, "abc", 6);
    printf("%s %d %d %c\n", field, field[3], field[5], field[6]);
    char *copy = strdup("duplicate");
    copy[0] = (char)toupper(copy[0]);
    printf("%s %.3s\n", copy, (char *)memchr(copy, 'l', 9));
    memmove(copy + 2, copy, 5);
    printf("%s %d %d\n", copy, memcmp("abc", "abc", 3), sign(memcmp("abd", "abc", 3)));
    free(copy);
    const int letters[] = {'a', 'Z', '5', ' ', '\n', '_', 127};
    for (int c : letters)
        printf("%d%d%d%d%d%d%d%d%c ", !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c), !!isupper(c), !!ispunct(c),
               !!isprint(c), !!isxdigit(c), isprint(c) ? tolower(c) : '.');
    printf("\n%s | %s\n", strerror(2), strerror(22));
    return 0;
}

//~ exits: 0
//> hello, world 12 3
//> -1 1 0 -1
//> 0 0 -1
//> /b/c.txt /c.txt c.txt b/c.txt
//> 1 1 9
//> 3 3
//> [one][two][three]<k=v><l=w>
//> abc 0 0 #
//> Duplicate lic
//> DuDuplite 0 1
//> 10100011a 10101010z 011000115 00010010  00010000. 00000110_ 00000000. 
//> No such file or directory | Invalid argument
