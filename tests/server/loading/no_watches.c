/* Watches of paths that contain $UNWATCHED fail as if the system had none left; loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
  static int (*next)(int, const char *, uint32_t);
  if (!next) next = (int (*)(int, const char *, uint32_t))dlsym(RTLD_NEXT, "inotify_add_watch");
  if (strstr(path, getenv("UNWATCHED"))) {
    errno = ENOSPC;
    return -1;
  }
  return next(descriptor, path, mask);
}
