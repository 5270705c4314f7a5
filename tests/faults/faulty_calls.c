/* Makes the n-th system call below a directory fail, in Python and in compiled code; loaded with LD_PRELOAD.
 *
 * Calls with a path count if the path is below the directory; calls with a descriptor if it was opened there. Large
 * allocations of the main thread count too. tests/faults/inject.py controls it through the functions fault_*().
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 65536
#define MAX_DIRECTORIES 64
#define LARGE_ALLOCATION (64 << 10)
#define SHORT_TRANSFER -1 /* As an error number: the call transfers half of what it was asked for. */

typedef void (*Observer)(const char *function);

static char below[4096];
static size_t below_length;
static volatile int is_armed;
static volatile long target, counted, failed;
static volatile int error_number;
static volatile int are_types_hidden;
static Observer observer;
static unsigned char is_marked[MAX_DESCRIPTORS];
static DIR *directories[MAX_DIRECTORIES];
static __thread int is_inside;

void fault_below(const char *directory) {
  strncpy(below, directory, sizeof below - 1);
  below_length = strlen(below);
}

void fault_arm(long number, int error, int hides_types) {
  target = number;
  error_number = error;
  are_types_hidden = hides_types;
  counted = failed = 0;
  is_armed = 1;
}

/* Stop failing and counting, or go on. */
void fault_pause(int is_paused) { is_armed = !is_paused; }
long fault_counted(void) { return counted; }
long fault_failed(void) { return failed; }
void fault_observe(Observer observes) { observer = observes; }

/* Count a call; return 0 to make it, 1 to transfer only half, -1 to fail with errno. */
static int begin(const char *function, int can_be_short) {
  long number = __sync_fetch_and_add(&counted, 1);
  if (observer && !is_inside) {
    is_inside = 1;
    observer(function);
    is_inside = 0;
  }
  if (number != target) return 0;
  if (error_number == SHORT_TRANSFER) {
    failed += can_be_short;
    return can_be_short;
  }
  failed++;
  errno = error_number;
  return -1;
}

static int is_path(const char *path) {
  return is_armed && !is_inside && path && below_length && strncmp(path, below, below_length) == 0;
}

static int is_descriptor(int descriptor) {
  return is_armed && !is_inside && descriptor >= 0 && descriptor < MAX_DESCRIPTORS && is_marked[descriptor];
}

#define NEXT(name, type) \
  static __typeof__(type) next; \
  if (!next) next = (type)dlsym(RTLD_NEXT, name)

static int mark(int descriptor, const char *path) {
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS)
    is_marked[descriptor] = path && below_length && strncmp(path, below, below_length) == 0;
  return descriptor;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(#name, int (*)(const char *, int, mode_t)); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = va_arg(more, mode_t); \
    va_end(more); \
    if (is_path(path) && begin("open", 0)) return -1; \
    return mark(next(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int directory, const char *path, int flags, ...) { \
    NEXT(#name, int (*)(int, const char *, int, mode_t)); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = va_arg(more, mode_t); \
    va_end(more); \
    if (is_path(path) && begin("open", 0)) return -1; \
    return mark(next(directory, path, flags, mode), path); \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int descriptor) {
  NEXT("close", int (*)(int));
  int is_counted = is_descriptor(descriptor);
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) is_marked[descriptor] = 0;
  int result = next(descriptor);
  return is_counted && begin("close", 0) ? -1 : result; /* It is closed whatever it returns. */
}

#define STAT(name, kind) \
  int name(const char *path, struct kind *status) { \
    NEXT(#name, int (*)(const char *, struct kind *)); \
    return is_path(path) && begin("stat", 0) ? -1 : next(path, status); \
  }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTAT(name, kind) \
  int name(int descriptor, struct kind *status) { \
    NEXT(#name, int (*)(int, struct kind *)); \
    return is_descriptor(descriptor) && begin("fstat", 0) ? -1 : next(descriptor, status); \
  }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define FSTATAT(name, kind) \
  int name(int directory, const char *path, struct kind *status, int flags) { \
    NEXT(#name, int (*)(int, const char *, struct kind *, int)); \
    return is_path(path) && begin("stat", 0) ? -1 : next(directory, path, status, flags); \
  }
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

/* Before glibc 2.33 programs call these. */
#define XSTAT(name, kind) \
  int name(int version, const char *path, struct kind *status) { \
    NEXT(#name, int (*)(int, const char *, struct kind *)); \
    return is_path(path) && begin("stat", 0) ? -1 : next(version, path, status); \
  }
XSTAT(__xstat, stat)
XSTAT(__xstat64, stat64)
XSTAT(__lxstat, stat)
XSTAT(__lxstat64, stat64)

#define FXSTAT(name, kind) \
  int name(int version, int descriptor, struct kind *status) { \
    NEXT(#name, int (*)(int, int, struct kind *)); \
    return is_descriptor(descriptor) && begin("fstat", 0) ? -1 : next(version, descriptor, status); \
  }
FXSTAT(__fxstat, stat)
FXSTAT(__fxstat64, stat64)

DIR *opendir(const char *path) {
  NEXT("opendir", DIR *(*)(const char *));
  if (is_path(path) && begin("opendir", 0)) return NULL;
  DIR *directory = next(path);
  if (directory && path && below_length && strncmp(path, below, below_length) == 0)
    for (int at = 0; at < MAX_DIRECTORIES; at++)
      if (__sync_bool_compare_and_swap(&directories[at], NULL, directory)) break;
  return directory;
}

int closedir(DIR *directory) {
  NEXT("closedir", int (*)(DIR *));
  for (int at = 0; at < MAX_DIRECTORIES; at++) __sync_bool_compare_and_swap(&directories[at], directory, NULL);
  return next(directory);
}

static int is_directory(DIR *directory) {
  if (!is_armed || is_inside) return 0;
  for (int at = 0; at < MAX_DIRECTORIES; at++)
    if (directories[at] == directory) return 1;
  return 0;
}

/* Some network file systems do not say in a listing what an entry is. */
#define READDIR(name, kind) \
  struct kind *name(DIR *directory) { \
    NEXT(#name, struct kind *(*)(DIR *)); \
    if (is_directory(directory) && begin("readdir", 0)) return NULL; \
    struct kind *entry = next(directory); \
    if (entry && are_types_hidden && is_directory(directory)) entry->d_type = DT_UNKNOWN; \
    return entry; \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

static size_t half(size_t length) { return length > 1 ? length / 2 : length; }

#define TRANSFER(name, what, result, buffer, offset_type) \
  result name(int descriptor, buffer content, size_t length, offset_type offset) { \
    NEXT(#name, result (*)(int, buffer, size_t, offset_type)); \
    int fault = is_descriptor(descriptor) ? begin(what, 1) : 0; \
    return fault < 0 ? -1 : next(descriptor, content, fault ? half(length) : length, offset); \
  }
TRANSFER(pread, "pread", ssize_t, void *, off_t)
TRANSFER(pread64, "pread", ssize_t, void *, off64_t)

/* Of the first buffer only, which is the only one that the server passes. */
#define TRANSFER_VECTOR(name, what, offset_type) \
  ssize_t name(int descriptor, const struct iovec *parts, int count, offset_type offset) { \
    NEXT(#name, ssize_t (*)(int, const struct iovec *, int, offset_type)); \
    int fault = is_descriptor(descriptor) ? begin(what, 1) : 0; \
    if (!fault || count < 1) return next(descriptor, parts, count, offset); \
    struct iovec first = {parts[0].iov_base, half(parts[0].iov_len)}; \
    return fault < 0 ? -1 : next(descriptor, &first, 1, offset); \
  }
TRANSFER_VECTOR(preadv, "preadv", off_t)
TRANSFER_VECTOR(preadv64, "preadv", off64_t)

#define TRANSFER_VECTOR2(name, offset_type) \
  ssize_t name(int descriptor, const struct iovec *parts, int count, offset_type offset, int flags) { \
    NEXT(#name, ssize_t (*)(int, const struct iovec *, int, offset_type, int)); \
    int fault = is_descriptor(descriptor) ? begin("preadv", 1) : 0; \
    if (!fault || count < 1) return next(descriptor, parts, count, offset, flags); \
    struct iovec first = {parts[0].iov_base, half(parts[0].iov_len)}; \
    return fault < 0 ? -1 : next(descriptor, &first, 1, offset, flags); \
  }
TRANSFER_VECTOR2(preadv2, off_t)
TRANSFER_VECTOR2(preadv64v2, off64_t)

ssize_t read(int descriptor, void *content, size_t length) {
  NEXT("read", ssize_t (*)(int, void *, size_t));
  int fault = is_descriptor(descriptor) ? begin("read", 1) : 0;
  return fault < 0 ? -1 : next(descriptor, content, fault ? half(length) : length);
}

ssize_t write(int descriptor, const void *content, size_t length) {
  NEXT("write", ssize_t (*)(int, const void *, size_t));
  int fault = is_descriptor(descriptor) ? begin("write", 1) : 0;
  return fault < 0 ? -1 : next(descriptor, content, fault ? half(length) : length);
}

#define WITH_PATH(name, what, parameters, arguments) \
  int name parameters { \
    NEXT(#name, int(*) parameters); \
    return is_path(path) && begin(what, 0) ? -1 : next arguments; \
  }
WITH_PATH(mkdir, "mkdir", (const char *path, mode_t mode), (path, mode))
WITH_PATH(unlink, "unlink", (const char *path), (path))
WITH_PATH(rename, "rename", (const char *path, const char *other), (path, other))
WITH_PATH(utimensat, "utimensat", (int directory, const char *path, const struct timespec times[2], int flags),
          (directory, path, times, flags))

ssize_t readlink(const char *path, char *content, size_t size) {
  NEXT("readlink", ssize_t (*)(const char *, char *, size_t));
  return is_path(path) && begin("readlink", 0) ? -1 : next(path, content, size);
}

#define WITH_DESCRIPTOR(name, what, parameters, arguments) \
  int name parameters { \
    NEXT(#name, int(*) parameters); \
    return is_descriptor(descriptor) && begin(what, 0) ? -1 : next arguments; \
  }
WITH_DESCRIPTOR(fsync, "fsync", (int descriptor), (descriptor))
WITH_DESCRIPTOR(flock, "flock", (int descriptor, int operation), (descriptor, operation))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

static int fails_to_allocate(size_t size) {
  return is_armed && !is_inside && size >= LARGE_ALLOCATION && getpid() == (pid_t)syscall(SYS_gettid) &&
         begin("malloc", 0);
}

void *malloc(size_t size) { return fails_to_allocate(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return fails_to_allocate(count * size) ? NULL : __libc_calloc(count, size);
}
