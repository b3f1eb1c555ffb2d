// SPDX-License-Identifier: Apache-2.0
#include "app/cli/signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <unistd.h>

namespace sparserl::cli {
namespace {

constexpr unsigned patienceSeconds = 3;
constexpr unsigned savingSeconds = 60;
/// Signals that follow the first within this time belong to it: timeout(1) signals its command and then the
/// whole group, a closed terminal sends SIGHUP beside SIGTERM.
constexpr double momentSeconds = 1;
constexpr std::array handled{SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE};

// Signal handlers can reach nothing but globals. The context outlives the scope, and the scope takes it away.
std::atomic<const Context*> target{nullptr};
std::atomic<bool> wasCaught{false};
std::atomic<double> caughtAt{0};        ///< Of the clock that monotonic() reads.
std::atomic<bool> saving{false};        ///< A checkpoint is being written.
std::atomic<bool> savingIsKnown{false}; ///< It has been given its time.
std::atomic<int> linesBegun{0};         ///< Lines that are being written.
std::atomic<bool> endAfterLine{false};
std::atomic<int> lockFile{-1}; ///< Of the run that this process works on; negative: none.

/// Nothing but a system call. What a terminal shows of progress goes first.
void say(std::string_view sentence)
{
    const char* const clear = "\r\033[K";
    if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, clear, 4) < 0) {
        return;
    }
    static_cast<void>(!::write(STDERR_FILENO, sentence.data(), sentence.size()));
}

/// clock_gettime is safe in handlers, and what stands around it in base/time.h need not be.
double monotonic()
{
    struct timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Before a command begins and after it has ended.
[[noreturn]] void endNow(int)
{
    say("sparserl: interrupted\n");
    ::_exit(Interrupted);
}

/// Ends the process in the middle of its work. What others see of its run is a mark in the run's lock.
[[noreturn]] void endAtWork()
{
    if (const int file = lockFile.load(); file >= 0) {
        FileLock::markCutShort(file);
    }
    ::_exit(Interrupted);
}

/// Ends the process, but not in the middle of a line that somebody reads.
void endSoon()
{
    if (linesBegun.load() == 0 || endAfterLine.exchange(true)) {
        endAtWork();
    }
    ::alarm(1);
}

void onSignal(int)
{
    const Context* context = target.load();
    if (context == nullptr) {
        endNow(0);
    }
    if (wasCaught.load()) {
        if (monotonic() - caughtAt.load() > momentSeconds)
            endSoon();
        return;
    }
    caughtAt = monotonic();
    wasCaught = true;
    context->cancel.cancel();
    ::alarm(patienceSeconds);
    if (context->savesOnSignal) {
        say("sparserl: interrupted; ending within 3 seconds, or once the checkpoint is saved. To end at "
            "once, send the signal again after a second\n");
    }
}

void onAlarm(int)
{
    const Context* context = target.load();
    if (saving.load() && !savingIsKnown.exchange(true)) {
        say("sparserl: a checkpoint is still being saved; this may take up to 60 seconds more\n");
        ::alarm(savingSeconds);
        return;
    }
    const bool hasRun = lockFile.load() >= 0;
    if (context != nullptr && (hasRun || context->savesOnSignal) && !endAfterLine.load()) {
        say("sparserl: stopped before the current step was saved; the run resumes from its last "
            "checkpoint, or begins again if it has none\n");
    } else if (context != nullptr && !endAfterLine.load()) {
        say(context->interruptedLine());
    }
    endSoon();
}

void install(void (*handler)(int), void (*alarmHandler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        // nohup ignores SIGHUP, and means it.
        if (signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) {
            continue;
        }
        ::sigaction(signal, &action, nullptr);
    }
    action.sa_handler = alarmHandler;
    ::sigaction(SIGALRM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

} // namespace

SignalScope::SignalScope(const Context& context)
{
    target = &context;
    for (std::size_t i = 0; i < handled.size(); ++i) {
        ::sigaction(handled[i], nullptr, &m_before[i]);
    }
    install(onSignal, onAlarm);
}

SignalScope::~SignalScope()
{
    install(endNow, endNow);
    target = nullptr;
}

bool SignalScope::caught() const
{
    return wasCaught.load();
}

int SignalScope::replaceProcess(const char* program, char** argv) const
{
    sigset_t held, before;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::sigaddset(&held, signal);
    }
    ::sigprocmask(SIG_BLOCK, &held, &before);
    int why = EINTR;
    if (!caught()) {
        std::string names;
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            // What the caller holds back is the caller's.
            if (::sigismember(&before, signal) == 0) {
                names += std::to_string(signal) + " ";
            }
        }
        ::setenv(heldSignalsVariable, names.c_str(), 1);
        // A new program has the default for what was handled, but keeps what is ignored.
        for (std::size_t i = 0; i < handled.size(); ++i) {
            if (m_before[i].sa_handler == SIG_IGN || handled[i] == SIGPIPE) {
                ::sigaction(handled[i], &m_before[i], nullptr);
            }
        }
        ::execv(program, argv);
        why = errno;
        install(onSignal, onAlarm);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return why;
}

void noteSaving(bool isSaving)
{
    saving = isSaving;
}

void noteLock(const FileLock* lock)
{
    lockFile = lock == nullptr ? -1 : lock->fileNumber();
}

WholeLine::WholeLine()
{
    ++linesBegun;
}

WholeLine::~WholeLine()
{
    if (--linesBegun == 0 && endAfterLine.load()) {
        endAtWork();
    }
}

} // namespace sparserl::cli
