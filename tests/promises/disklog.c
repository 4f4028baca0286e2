/* What a process asks of its disk, seen below the C library's face, SQLite's calls included.
 *
 * Loaded with LD_PRELOAD. With DISKLOG, every call that changes a file or a folder of the device DISKLOG_DEVICE is
 * appended to that file, in the order in which it took effect: `KIND a b c n m\n`, then n and m bytes. `disklog_map`
 * gives inodes other numbers and birth times, so that a copy of a tree can stand in for the tree after a power cut.
 * Writing through a mapping is not seen: nothing that must last is written so.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int log_file = -1;
static dev_t device;
static __thread int inside; /* our own calls are not logged */

#define REAL(name) ((__typeof__(name) *)real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static ssize_t (*real_write)(int, const void *, size_t);
typedef long calling(long, ...);
static calling *real_syscall(void)
{
    static calling *found;
    if (found == NULL) found = REAL(syscall);
    return found;
}
#define sys(...) real_syscall()(__VA_ARGS__)

__attribute__((constructor)) static void begin(void)
{
    real_write = REAL(write);
    const char *path = getenv("DISKLOG"), *number = getenv("DISKLOG_DEVICE");
    if (path && number) {
        device = strtoull(number, NULL, 10);
        log_file = (int)sys(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        int high = fcntl(log_file, F_DUPFD_CLOEXEC, 500); /* out of the way of tests that count descriptors */
        if (high >= 0) { close(log_file); log_file = high; }
    }
}

static void all(const void *data, size_t left)
{
    const char *at = data;
    while (left) {
        ssize_t count = real_write(log_file, at, left);
        if (count <= 0) abort();
        at += count;
        left -= count;
    }
}

static void note(char kind, uint64_t a, uint64_t b, uint64_t c, const void *one, size_t n, const void *two, size_t m)
{
    char head[160];
    int length = snprintf(head, sizeof head, "%c %llu %llu %llu %zu %zu\n", kind, (unsigned long long)a,
                          (unsigned long long)b, (unsigned long long)c, n, m);
    all(head, length);
    all(one, n);
    all(two, m);
}

static int raw_fstatat(int at, const char *path, struct stat *found, int flags)
{
    return (int)sys(SYS_newfstatat, at, path, found, flags);
}

static int ours(int file, struct stat *found)
{
    return log_file >= 0 && raw_fstatat(file, "", found, AT_EMPTY_PATH) == 0 && found->st_dev == device;
}

/* The folder of a path, and the name in it; 0 where it is on another device. */
static ino_t folder_of(int at, const char *path, const char **name)
{
    struct stat found;
    char above[4096];
    const char *slash = strrchr(path, '/');
    if (log_file < 0 || strlen(path) >= sizeof above) return 0;
    if (slash == NULL) {
        *name = path;
        strcpy(above, ".");
    } else {
        *name = slash + 1;
        memcpy(above, path, slash - path + 1);
        above[slash - path + 1] = 0;
    }
    if (raw_fstatat(at, above, &found, 0) || found.st_dev != device) return 0;
    return found.st_ino;
}

#define LOCKED(type, ...)              \
    do {                               \
        pthread_mutex_lock(&mutex);    \
        inside++;                      \
        type result;                   \
        __VA_ARGS__;                   \
        int kept = errno;              \
        inside--;                      \
        pthread_mutex_unlock(&mutex);  \
        errno = kept;                  \
        return result;                 \
    } while (0)

__attribute__((visibility("default"))) void disklog_mark(const char *text)
{
    pthread_mutex_lock(&mutex);
    if (log_file >= 0) note('K', 0, 0, 0, text, strlen(text), "", 0);
    pthread_mutex_unlock(&mutex);
}

/* Bytes of a file */

static void wrote(int file, off_t from, size_t count)
{
    struct stat found;
    if (!ours(file, &found) || !S_ISREG(found.st_mode)) return;
    char path[64], block[65536];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int again = (int)sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (again < 0) abort();
    while (count) {
        ssize_t n = sys(SYS_pread64, again, block, count < sizeof block ? count : sizeof block, from);
        if (n <= 0) break;
        note('W', found.st_ino, from, 0, block, n, "", 0);
        from += n;
        count -= n;
    }
    sys(SYS_close, again);
}

static off_t end_of_write(int file, ssize_t count)
{
    (void)count;
    return lseek(file, 0, SEEK_CUR);
}

static int watched(int file)
{
    struct stat found;
    return log_file >= 0 && !inside && file != log_file && ours(file, &found) && S_ISREG(found.st_mode);
}

ssize_t write(int file, const void *data, size_t size)
{
    if (!watched(file)) return real_write(file, data, size);
    LOCKED(ssize_t, {
        result = real_write(file, data, size);
        if (result > 0) wrote(file, end_of_write(file, result) - result, result);
    });
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (!watched(file)) return REAL(writev)(file, parts, count);
    LOCKED(ssize_t, {
        result = REAL(writev)(file, parts, count);
        if (result > 0) wrote(file, end_of_write(file, result) - result, result);
    });
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    if (!watched(file)) return REAL(pwrite)(file, data, size, at);
    LOCKED(ssize_t, {
        result = REAL(pwrite)(file, data, size, at);
        if (result > 0) wrote(file, at, result);
    });
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) { return pwrite(file, data, size, at); }

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    if (!watched(file)) return REAL(pwritev)(file, parts, count, at);
    LOCKED(ssize_t, {
        result = REAL(pwritev)(file, parts, count, at);
        if (result > 0) wrote(file, at, result);
    });
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) { return pwritev(file, parts, count, at); }

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *where, size_t size, unsigned flags)
{
    if (!watched(to)) return REAL(copy_file_range)(from, at, to, where, size, flags);
    LOCKED(ssize_t, {
        off_t start = where ? *where : lseek(to, 0, SEEK_CUR);
        result = REAL(copy_file_range)(from, at, to, where, size, flags);
        if (result > 0) wrote(to, start, result);
    });
}

ssize_t sendfile(int to, int from, off_t *at, size_t size)
{
    if (!watched(to)) return REAL(sendfile)(to, from, at, size);
    LOCKED(ssize_t, {
        result = REAL(sendfile)(to, from, at, size);
        if (result > 0) wrote(to, end_of_write(to, result) - result, result);
    });
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) { return sendfile(to, from, at, size); }

static void sized(int file)
{
    struct stat found;
    if (ours(file, &found)) note('Z', found.st_ino, found.st_size, 0, "", 0, "", 0);
}

int ftruncate(int file, off_t size)
{
    if (!watched(file)) return REAL(ftruncate)(file, size);
    LOCKED(int, {
        result = REAL(ftruncate)(file, size);
        if (result == 0) sized(file);
    });
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int posix_fallocate(int file, off_t at, off_t size)
{
    if (!watched(file)) return REAL(posix_fallocate)(file, at, size);
    LOCKED(int, {
        result = REAL(posix_fallocate)(file, at, size);
        if (result == 0) sized(file);
    });
}
int posix_fallocate64(int file, off64_t at, off64_t size) { return posix_fallocate(file, at, size); }

int fallocate(int file, int mode, off_t at, off_t size)
{
    if (!watched(file)) return REAL(fallocate)(file, mode, at, size);
    LOCKED(int, {
        result = REAL(fallocate)(file, mode, at, size);
        if (result == 0) sized(file);
    });
}
int fallocate64(int file, int mode, off64_t at, off64_t size) { return fallocate(file, mode, at, size); }

int ioctl(int file, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *given = va_arg(more, void *);
    va_end(more);
    if (request != FICLONE || !watched(file)) return (int)sys(SYS_ioctl, file, request, given);
    LOCKED(int, {
        struct stat found;
        result = (int)sys(SYS_ioctl, file, request, given);
        if (result == 0 && ours(file, &found)) wrote(file, 0, found.st_size);
    });
}

/* Flushes: of the log only, for what a disk holds is made from that. To wait for the real one took most of the time. */

static int flushed(int file)
{
    if (log_file < 0 || inside) return 0;
    LOCKED(int, {
        struct stat found;
        result = 0;
        if (ours(file, &found)) note('F', found.st_ino, 0, 0, "", 0, "", 0);
    });
}

int fsync(int file)
{
    return flushed(file);
}

int fdatasync(int file)
{
    return flushed(file);
}

/* Names */

static int named(const char *path) { return log_file >= 0 && !inside && path != NULL; }

static void born(int at, const char *path, int flags)
{
    struct statx found;
    if (sys(SYS_statx, at, path, flags, STATX_BTIME | STATX_INO, &found) == 0 && found.stx_mask & STATX_BTIME)
        note('B', found.stx_ino, found.stx_btime.tv_sec, found.stx_btime.tv_nsec, "", 0, "", 0);
}

static void made(char kind, int at, const char *path, const char *target)
{
    struct stat found;
    const char *name;
    ino_t folder = folder_of(at, path, &name);
    if (folder && raw_fstatat(at, path, &found, AT_SYMLINK_NOFOLLOW) == 0)
    {
        note(kind, folder, found.st_ino, found.st_mode & 07777, name, strlen(name), target, strlen(target));
        if (kind != 'H') born(at, path, AT_SYMLINK_NOFOLLOW);
    }
}

static void opened(int file, int existed, int at, const char *path, int flags, off_t size)
{
    struct stat found;
    if (file < 0 || !ours(file, &found) || !S_ISREG(found.st_mode)) return;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        note('T', found.st_ino, found.st_mode & 07777, 0, "", 0, "", 0);
        born(file, "", AT_EMPTY_PATH);
    } else if (!existed)
        made('C', at, path, "");
    else if (flags & O_TRUNC && size)
        sized(file);
}

static long opening(int at, const char *path, int flags, mode_t mode, void *how, size_t how_size)
{
    int changes = flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
    if (!changes || !named(path))
        return how ? sys(SYS_openat2, at, path, how, how_size) : sys(SYS_openat, at, path, flags, mode);
    LOCKED(long, {
        struct stat before;
        int existed = raw_fstatat(at, path, &before, 0) == 0;
        result = how ? sys(SYS_openat2, at, path, how, how_size) : sys(SYS_openat, at, path, flags, mode);
        opened((int)result, existed, at, path, flags, existed ? before.st_size : 0);
    });
}

#define OPENED(at)                                                     \
    mode_t mode = 0;                                                   \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {         \
        va_list more;                                                  \
        va_start(more, flags);                                         \
        mode = va_arg(more, mode_t);                                   \
        va_end(more);                                                  \
    }                                                                  \
    return (int)opening(at, path, flags, mode, NULL, 0)

int open(const char *path, int flags, ...) { OPENED(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPENED(AT_FDCWD); }
int openat(int at, const char *path, int flags, ...) { OPENED(at); }
int openat64(int at, const char *path, int flags, ...) { OPENED(at); }

static int renamed(int from, const char *old, int to, const char *new, unsigned flags)
{
    if (!named(old)) return (int)sys(SYS_renameat2, from, old, to, new, flags);
    LOCKED(int, {
        const char *one = "";
        const char *two = "";
        ino_t source = folder_of(from, old, &one), target = folder_of(to, new, &two);
        result = (int)sys(SYS_renameat2, from, old, to, new, flags);
        if (result == 0 && source && target)
            note('R', source, target, flags, one, strlen(one), two, strlen(two));
    });
}
int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return renamed(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return renamed(from, old, to, new, flags);
}

static int removed(int at, const char *path, int flags)
{
    if (!named(path)) return (int)sys(SYS_unlinkat, at, path, flags);
    LOCKED(int, {
        const char *name = "";
        ino_t folder = folder_of(at, path, &name);
        result = (int)sys(SYS_unlinkat, at, path, flags);
        if (result == 0 && folder) note('U', folder, 0, 0, name, strlen(name), "", 0);
    });
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int at, const char *path, int flags) { return removed(at, path, flags); }
int remove(const char *path) { return unlink(path) == 0 || errno != EISDIR ? 0 : rmdir(path); }

int mkdirat(int at, const char *path, mode_t mode)
{
    if (!named(path)) return (int)sys(SYS_mkdirat, at, path, mode);
    LOCKED(int, {
        result = (int)sys(SYS_mkdirat, at, path, mode);
        if (result == 0) made('D', at, path, "");
    });
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int symlinkat(const char *target, int at, const char *path)
{
    if (!named(path)) return (int)sys(SYS_symlinkat, target, at, path);
    LOCKED(int, {
        result = (int)sys(SYS_symlinkat, target, at, path);
        if (result == 0) made('L', at, path, target);
    });
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    if (!named(new)) return (int)sys(SYS_linkat, from, old, to, new, flags);
    LOCKED(int, {
        result = (int)sys(SYS_linkat, from, old, to, new, flags);
        if (result == 0) made('H', to, new, "");
    });
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

/* Modes */

static void moded(int at, const char *path)
{
    struct stat found;
    if (raw_fstatat(at, path, &found, *path ? 0 : AT_EMPTY_PATH) == 0 && found.st_dev == device)
        note('M', found.st_ino, found.st_mode & 07777, 0, "", 0, "", 0);
}

int fchmod(int file, mode_t mode)
{
    if (log_file < 0 || inside) return (int)sys(SYS_fchmod, file, mode);
    LOCKED(int, {
        result = (int)sys(SYS_fchmod, file, mode);
        if (result == 0) moded(file, "");
    });
}
int fchmodat(int at, const char *path, mode_t mode, int flags)
{
    if (!named(path)) return REAL(fchmodat)(at, path, mode, flags);
    LOCKED(int, {
        result = REAL(fchmodat)(at, path, mode, flags);
        if (result == 0) moded(at, path);
    });
}
int chmod(const char *path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

/* Inodes by other numbers */

struct mapping { ino_t now, then; int64_t seconds; uint32_t nanoseconds; };
static struct mapping *mappings;
static size_t mapped;
static ino_t others; /* what is added to the number of an inode that has no other */

static int by_number(const void *one, const void *two)
{
    const struct mapping *a = one, *b = two;
    return a->now < b->now ? -1 : a->now > b->now;
}

__attribute__((visibility("default"))) void disklog_map(const char *path, unsigned long long more)
{
    FILE *file = fopen(path, "r");
    unsigned long long now, then;
    long long seconds;
    unsigned nanoseconds;
    mapped = 0;
    others = more;
    if (file == NULL) abort();
    while (fscanf(file, "%llu %llu %lld %u", &now, &then, &seconds, &nanoseconds) == 4) {
        mappings = realloc(mappings, (mapped + 1) * sizeof *mappings);
        mappings[mapped++] = (struct mapping){now, then, seconds, nanoseconds};
    }
    fclose(file);
    qsort(mappings, mapped, sizeof *mappings, by_number);
}

static struct mapping *mapping_of(ino_t number)
{
    struct mapping key = {.now = number};
    return mapped ? bsearch(&key, mappings, mapped, sizeof key, by_number) : NULL;
}

static ino_t number_of(ino_t number)
{
    struct mapping *found = mapping_of(number);
    return found ? found->then : number + others;
}

static int looked(int at, const char *path, struct stat *found, int flags)
{
    int result = raw_fstatat(at, path, found, flags);
    if (result == 0) found->st_ino = number_of(found->st_ino);
    return result;
}
int fstatat(int at, const char *path, struct stat *found, int flags) { return looked(at, path, found, flags); }
int fstatat64(int at, const char *path, struct stat64 *found, int flags)
{
    return looked(at, path, (struct stat *)found, flags);
}
int fstat(int file, struct stat *found) { return looked(file, "", found, AT_EMPTY_PATH); }
int fstat64(int file, struct stat64 *found) { return looked(file, "", (struct stat *)found, AT_EMPTY_PATH); }
int stat(const char *path, struct stat *found) { return looked(AT_FDCWD, path, found, 0); }
int stat64(const char *path, struct stat64 *found) { return looked(AT_FDCWD, path, (struct stat *)found, 0); }
int lstat(const char *path, struct stat *found) { return looked(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW); }
int lstat64(const char *path, struct stat64 *found)
{
    return looked(AT_FDCWD, path, (struct stat *)found, AT_SYMLINK_NOFOLLOW);
}

static int known(int at, const char *path, int flags, unsigned wanted, struct statx *found)
{
    int result = (int)sys(SYS_statx, at, path, flags, wanted | STATX_INO, found);
    struct mapping *other = result == 0 ? mapping_of(found->stx_ino) : NULL;
    if (result == 0) found->stx_ino = number_of(found->stx_ino);
    if (other != NULL) {
        found->stx_btime.tv_sec = other->seconds;
        found->stx_btime.tv_nsec = other->nanoseconds;
    }
    return result;
}
int statx(int at, const char *path, int flags, unsigned wanted, struct statx *found)
{
    return known(at, path, flags, wanted, found);
}

struct dirent64 *readdir64(DIR *folder)
{
    struct dirent64 *found = REAL(readdir64)(folder);
    if (found != NULL) found->d_ino = number_of(found->d_ino);
    return found;
}
struct dirent *readdir(DIR *folder) { return (struct dirent *)readdir64(folder); }

/* What Python calls by `syscall` */

long syscall(long number, ...)
{
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
    va_end(more);
    switch (number) {
    case SYS_openat2:
        return opening((int)a[0], (const char *)a[1], (int)((struct open_how *)a[2])->flags, 0, (void *)a[2], a[3]);
    case SYS_renameat2:
        return renamed((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3], (unsigned)a[4]);
    case SYS_statx:
        return known((int)a[0], (const char *)a[1], (int)a[2], (unsigned)a[3], (struct statx *)a[4]);
    case 452: { /* fchmodat2 */
        if (log_file < 0 || inside) return sys(number, a[0], a[1], a[2], a[3]);
        LOCKED(long, {
            result = sys(number, a[0], a[1], a[2], a[3]);
            if (result == 0) moded((int)a[0], (const char *)a[1]);
        });
    }
    default:
        return sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
