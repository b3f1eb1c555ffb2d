// SPDX-License-Identifier: Apache-2.0
// What must happen before the libraries initialize themselves: the tensor library's mathematics ends a
// process whose working folder was deleted, with a message that helps nobody, and loading takes long enough
// to press Ctrl-C in.
#include "app/cli/commands.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits.h>
#include <string_view>
#include <unistd.h>

namespace {

void endInterrupted(int)
{
    ::_exit(sparserl::cli::Interrupted);
}

void say(int stream, std::string_view text)
{
    static_cast<void>(!::write(stream, text.data(), text.size()));
}

/// Nothing but system calls: not even the C library's own initializers have run everywhere.
void beforeLibraries(int argc, char** argv, char**)
{
    struct sigaction action, before;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = endInterrupted;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            ::sigaction(signal, &action, nullptr);
    }
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

// Functions of this section of an executable run before the initializers of all libraries (ELF gABI).
__attribute__((section(".preinit_array"), used)) void (*const first)(int, char**, char**) = beforeLibraries;

} // namespace
