/* A host with a slow disk and a wrong clock, for programs that this library is preloaded into. The file named by
   BAD_HOST_FILE holds two numbers of eight octets, which may be changed at any time: how many milliseconds fsync and
   fdatasync wait before they do what they are to do, and by how many seconds the wall clock is ahead. Clocks that nobody
   sets stay as they are, and what the kernel says of when a packet came is wrong alike. (libfaketime names its semaphores by process ids, which hosts with process namespaces of their
   own share with each other.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t nothing[2];
static const volatile int64_t *wrong = nothing;
static int (*true_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("BAD_HOST_FILE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof nothing, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) wrong = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!true_clock) true_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = true_clock(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong[1];
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t *where) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME_COARSE, &exact);
    if (where) *where = exact.tv_sec;
    return exact.tv_sec;
}

static void falsify(struct msghdr *packet) {
    struct timespec came;
    for (struct cmsghdr *told = CMSG_FIRSTHDR(packet); told; told = CMSG_NXTHDR(packet, told))
        if (told->cmsg_level == SOL_SOCKET && told->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&came, CMSG_DATA(told), sizeof came);
            came.tv_sec += wrong[1];
            memcpy(CMSG_DATA(told), &came, sizeof came);
        }
}

int recvmmsg(int socket, struct mmsghdr *packets, unsigned most, int flags, struct timespec *within) {
    static int (*received)(int, struct mmsghdr *, unsigned, int, struct timespec *);
    if (!received) *(void **)&received = dlsym(RTLD_NEXT, "recvmmsg");
    int count = received(socket, packets, most, flags, within);
    for (int i = 0; i < count && wrong[1]; i++) falsify(&packets[i].msg_hdr);
    return count;
}

static void wait_for_the_disk(void) {
    int64_t milliseconds = wrong[0];
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (milliseconds > 0 && nanosleep(&left, &left)) continue;
}

int fsync(int file) {
    wait_for_the_disk();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
    wait_for_the_disk();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
