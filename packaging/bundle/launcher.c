/* The launcher of a bundle. The files bin/ecbench and libexec/python3 of the bundle are copies of the launcher. A copy starts the
   program in program/ that has the same name as the copy, with the loader and the libraries of the bundle. The launcher is linked
   statically, so it needs no library of the system. The loader gets the option --inhibit-cache, because the system's ld.so.cache
   lists libraries that need another C library. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char* joined(const char* folder, const char* rest) {
  char* path = malloc(strlen(folder) + strlen(rest) + 1);
  if (path == NULL) exit(1);
  return strcat(strcpy(path, folder), rest);
}

/* Removes the last name and the slash before it from the path. Returns the slash and the name, or NULL if the path has no slash. */
static char* cut_name(char* path) {
  char* slash = strrchr(path, '/');
  char* name = slash == NULL ? NULL : strdup(slash);
  if (slash != NULL) *slash = '\0';
  return name;
}

int main(int argc, char** argv) {
  char root[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", root, sizeof root - 1);
  if (length < 0) {
    fprintf(stderr, "ecbench: /proc/self/exe cannot be read, but a bundle needs it: mount /proc\n");
    return 1;
  }
  root[length] = '\0';
  const char* name = cut_name(root);
  if (name == NULL || cut_name(root) == NULL) return 1;
  if (strpbrk(root, ":;") != NULL) {
    fprintf(stderr, "ecbench: the directory %s is not allowed for a bundle: use a path without ':' and ';'\n", root);
    return 1;
  }
  const char* const before[] = {joined(root, "/lib/ld-linux-x86-64.so.2"),
                                "--inhibit-cache",
                                "--library-path",
                                joined(root, "/lib"),
                                "--argv0",
                                argc > 0 ? argv[0] : name + 1,
                                joined(joined(root, "/program"), name)};
  const size_t count = sizeof before / sizeof *before;
  const char** words = calloc(count + (size_t)argc + 1, sizeof *words);
  if (words == NULL) return 1;
  memcpy(words, before, sizeof before);
  for (int i = 1; i < argc; i++) words[count + (size_t)i - 1] = argv[i];
  execv(words[0], (char* const*)words);
  fprintf(stderr, "ecbench: %s cannot be run: unpack the bundle again\n", words[0]);
  return 1;
}
