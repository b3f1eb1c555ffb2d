// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace sparserl::cli {
#define SPARSERL_COMMAND(NAME) Body add_##NAME(CLI::App& app, Context& context);
#include "command_list.inc"
#undef SPARSERL_COMMAND
} // namespace sparserl::cli

using namespace sparserl;
using namespace sparserl::cli;

namespace {

// Signal handlers can reach nothing but globals; this is the one the process has.
const CancelToken* interruptToken = nullptr;

void onInterrupt(int signal)
{
    if (interruptToken == nullptr || interruptToken->cancelled()) {
        _exit(128 + signal);
    }
    interruptToken->cancel();
}

void installInterruptHandler(const CancelToken& token)
{
    interruptToken = &token;
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

constexpr Command commandTable[] = {
#define SPARSERL_COMMAND(NAME) {#NAME, add_##NAME},
#include "command_list.inc"
#undef SPARSERL_COMMAND
};

} // namespace

int main(int argc, char** argv)
{
    Context context;
    std::error_code ignored;
    context.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    installInterruptHandler(context.cancel);

    CLI::App app("SparseRL Workbench: teach a language model to write CUDA kernels for your sparse matrices.",
                 "sparserl");
    app.require_subcommand(1);
    app.fallthrough();
    app.set_version_flag("--version", SPARSERL_VERSION);
    app.add_flag("--json", context.json, "Print JSON Lines on stdout; text and progress go to stderr.");
    app.add_flag("--quiet", context.quiet, "Print no progress.");

    int status = Done;
    for (const Command& command : commandTable) {
        const std::size_t before = app.get_subcommands({}).size();
        Body body = command.add(app, context);
        CLI::App* added = app.get_subcommands({}).at(before);
        added->callback([&status, body = std::move(body)] { status = body(); });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        // Help and version come as exceptions too; they are success.
        if (wrong.get_exit_code() == 0) {
            return app.exit(wrong);
        }
        app.exit(wrong);
        return WrongUsage;
    }
    context.endProgress();
    return status;
}
