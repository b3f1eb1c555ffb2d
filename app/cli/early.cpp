// SPDX-License-Identifier: Apache-2.0
// What must happen before the libraries initialise themselves: the tensor library's mathematics ends a
// process whose working folder was deleted, with a message that helps nobody, and loading takes long enough
// to press Ctrl-C in.
#include "app/cli/commands.h"
#include "app/cli/signals.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits.h>
#include <string_view>
#include <unistd.h>

namespace {

void say(int stream, std::string_view text)
{
    static_cast<void>(!::write(stream, text.data(), text.size()));
}

void endInterrupted(int)
{
    say(STDERR_FILENO, "sparserl: interrupted\n");
    ::_exit(sparserl::cli::Interrupted);
}

/// Signals that the program which became this one has held back (SignalScope::replaceProcess) come now.
void letHeldSignalsIn(char** environment)
{
    const std::string_view name = sparserl::cli::heldSignalsVariable;
    for (; *environment != nullptr; ++environment) {
        const std::string_view variable = *environment;
        if (!variable.starts_with(name) || variable.substr(name.size(), 1) != "=")
            continue;
        sigset_t held;
        ::sigemptyset(&held);
        int number = 0;
        for (const char c : variable.substr(name.size() + 1)) {
            if (c >= '0' && c <= '9') {
                number = (number * 10 + (c - '0')) % 1000;
                continue;
            }
            if (number == SIGINT || number == SIGTERM || number == SIGHUP)
                ::sigaddset(&held, number);
            number = 0;
        }
        ::sigprocmask(SIG_UNBLOCK, &held, nullptr);
    }
}

/// Nothing but system calls: not even the C library's own initialisers have run everywhere.
void beforeLibraries(int argc, char** argv, char** environment)
{
    struct sigaction action, before;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = endInterrupted;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            ::sigaction(signal, &action, nullptr);
    }
    // A file that grows beyond `ulimit -f` is an error with a sentence, not the end of the program.
    if (::sigaction(SIGXFSZ, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        ::sigaction(SIGXFSZ, &action, nullptr);
    }
    letHeldSignalsIn(environment);
    char folder[PATH_MAX];
    if (::getcwd(folder, sizeof folder) != nullptr || errno != ENOENT)
        return;
    say(STDERR_FILENO, "sparserl: the working folder was deleted. Change to another folder\n");
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json")
            say(STDOUT_FILENO, "{\"error\":{\"file\":\"\",\"line\":0,\"remedy\":\"Change to another folder\","
                               "\"what\":\"the working folder was deleted\"}}\n");
    }
    ::_exit(sparserl::cli::Failed);
}

// Functions of this section of an executable run before the initialisers of all libraries (ELF gABI).
__attribute__((section(".preinit_array"), used)) void (*const first)(int, char**, char**) = beforeLibraries;

} // namespace
