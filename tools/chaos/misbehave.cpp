// The behaviours that a GoogleTest program can have by itself; see behaviours.py for what each is.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace {

bool first_time(int number) {
    const std::string mark = std::string(std::getenv("CHAOS_STATE")) + "/" + std::to_string(number) + ".seen";
    if (access(mark.c_str(), F_OK) == 0) return false;
    std::fclose(std::fopen(mark.c_str(), "w"));
    return true;
}

void hang() {
    std::printf("HW Exception by GPU node-2 (Agent handle: 0x55d0c0) reason :GPU Hang\n");
    std::fflush(stdout);
}

void misbehave(const std::string& name, int number) {
    if (name == "passes") usleep(20'000 * (number % 5));
    else if (name == "skips") GTEST_SKIP() << "does not apply";
    else if (name == "fails") ASSERT_LT(number, 0);
    else if (name == "flaky") ASSERT_FALSE(first_time(number));
    else if (name == "crashes") raise(SIGSEGV);
    else if (name == "crashes_once") { if (first_time(number)) raise(SIGSEGV); }
    else if (name == "aborts") std::abort();
    else if (name == "exits") _exit(0);
    else if (name == "killed") raise(SIGKILL);
    else if (name == "hangs") sleep(86'000);
    else if (name == "stubborn") { std::signal(SIGTERM, SIG_IGN); while (true) sleep(86'000); }
    else if (name == "stops") { raise(SIGSTOP); sleep(86'000); }
    else if (name == "prints_nul") { if (write(1, "\0\x1b[2J\xff\xfe::error::forged\r\n\0\n", 24) < 0) FAIL(); }
    else if (name == "noisy") { const std::string line(99'999, 'x'); for (int i = 0; i < 200; ++i) std::puts(line.c_str()); }
    else if (name == "forged_and_passes") hang();
    else if (name == "forged_and_fails") { hang(); ASSERT_LT(number, 0); }
    else FAIL() << "no such behaviour: " << name;
}

}  // namespace

