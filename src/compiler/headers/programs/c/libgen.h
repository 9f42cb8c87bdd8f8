#pragma once
extern "C" {
char *basename(char *path);
char *dirname(char *path);
}
