// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"
#include "app/cli/describe.h"
#include "app/cli/help_text.h"
#include "app/cli/options_check.h"
#include "app/cli/project_words.h"
#include "app/cli/signals.h"
#include "app/cli/usage.h"
#include "app/cli/words.h"
#include "base/failure.h"
#include "base/json.h"
#include "base/limits.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace sparserl::cli {

namespace {

/// A stream that the caller closed must stay unusable: else the next file that is opened gets its number, and
/// text for people would be written into it.
void holdStandardDescriptors()
{
    for (int fd = 0; fd <= 2; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            const int opened = ::open("/dev/null", O_RDONLY); // for writing, it fails as a closed one does
            if (opened >= 0 && opened != fd) {
                ::dup2(opened, fd);
                ::close(opened);
            }
        }
    }
}

bool wantsJson(int argc, char** argv)
{
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        if (std::string_view(argv[i]) == "--json") {
            return true;
        }
    }
    return false;
}

Error memoryError()
{
    const std::string limit = addressSpaceSentence();
    return {limit.empty() ? "memory ran out" : "memory ran out: " + limit,
            {},
            0,
            limit.empty() ? "Give smaller inputs or use a larger machine"
                          : "Raise the limit, or give smaller inputs"};
}

/// The chosen command's body; whatever it throws becomes a sentence.
int runBody(const Context& context, const Body& body)
{
    try {
        return body();
    } catch (const Failure& failure) {
        return context.error(failure.error());
    } catch (const WrongValue& wrong) {
        return context.wrongUsage(wrong.error);
    } catch (const std::bad_alloc&) {
        return context.error(memoryError());
    } catch (const std::length_error&) { // a container asked for more than any memory has
        return context.error(memoryError());
    } catch (const std::system_error& error) {
        // No thread could be started: each takes address space.
        if (error.code() == std::errc::resource_unavailable_try_again && addressSpaceLimit()) {
            return context.error(memoryError());
        }
        return context.error({std::string("the system refused something: ") + error.what(),
                              {},
                              0,
                              "See the limits of this shell with `ulimit -a`"});
    } catch (const std::exception& error) {
        return context.error({std::string("internal error: ") + error.what(),
                              {},
                              0,
                              "Please report it with the command that led here"});
    }
}

int wrongUsage(Context& context, const CLI::App& app, const CLI::ParseError& wrong)
{
    // Help and version come as exceptions too; they are success.
    if (wrong.get_exit_code() == 0) {
        std::ostringstream out, err;
        app.exit(wrong, out, err);
        const bool version = dynamic_cast<const CLI::CallForVersion*>(&wrong) != nullptr;
        if (context.json) {
            context.emit({{version ? "version" : "help", version ? SPARSERL_VERSION : out.str()}});
        } else {
            context.print(out.str());
        }
        return Done;
    }
    Error error = usageError(app, wrong);
    error.what = withoutMarks(error.what);
    return context.wrongUsage(error);
}

/// Thrown in the middle of parsing: what follows is for the other program to read.
struct TakenOver
{
    const char* command;
};

/// Returns only where that is not possible.
int becomeTraining(const Context& context, const SignalScope& signals, const char* command, char** argv)
{
    // Below that, the tensor library ends the process while it is loaded, before anything can be said. It
    // needs 0.5 GiB to be loaded (2.11 on x86-64).
    constexpr std::uint64_t least = std::uint64_t(640) << 20;
    if (const auto limit = addressSpaceLimit(); limit && *limit < least) {
        return context.error({fmt::format("`sparserl {}` needs 640 MiB of address space to start, and {}",
                                          command, addressSpaceSentence()),
                              {},
                              0,
                              "Raise the limit, or remove it with `ulimit -v unlimited`"});
    }
    const std::string program = siblingProgram(context, trainingProgram);
    const int why = signals.replaceProcess(program.c_str(), argv);
    if (why == EINTR) {
        return Interrupted;
    }
    if (why == ENOENT) {
        return context.error({fmt::format("the program {}, which runs `sparserl {}`, is not next to this one",
                                          trainingProgram, command),
                              program, 0,
                              fmt::format("Build the target {}, or reinstall the package", trainingProgram)});
    }
    return context.error({fmt::format("the program {}, which runs `sparserl {}`, cannot be started: {}",
                                      trainingProgram, command, std::generic_category().message(why)),
                          program, 0, "Build it again, or reinstall the package"});
}

/// The same with other words, and the options of all commands.
int becomeTraining(const Context& context, const SignalScope& signals, char* self,
                   std::vector<std::string> words)
{
    std::string command = words.empty() ? std::string() : words.front();
    if (context.json)
        words.emplace_back("--json");
    if (context.quiet)
        words.emplace_back("--quiet");
    std::vector<char*> pointers{self};
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return becomeTraining(context, signals, command.c_str(), pointers.data());
}

int runCommandLine(Context& context, const SignalScope& signals, int argc, char** argv,
                   std::span<const Command> commands)
{
    std::string chosenName;
    CLI::App app("SparseRL Workbench: teach a language model to write CUDA kernels for your sparse matrices.",
                 "sparserl");
    context.becomeTraining = [&context, &signals, self = argv[0]](const std::vector<std::string>& words) {
        return becomeTraining(context, signals, self, words);
    };
    context.goOnInTraining = [&context, &signals, &chosenName, argv] {
        return becomeTraining(context, signals, chosenName.c_str(), argv);
    };
    app.formatter(helpFormatter());
    app.require_subcommand(1);
    app.fallthrough();
    app.set_version_flag("--version", SPARSERL_VERSION);
    app.add_flag("--json", context.json, "Print JSON Lines on stdout; text and progress go to stderr.");
    app.add_flag("--quiet", context.quiet, "Print no progress.");

    Body chosen;
    for (const Command& command : commands) {
        if (command.add == nullptr) {
            addTrainingCommand(app, command.name)->preparse_callback([name = command.name](std::size_t) {
                throw TakenOver{name};
            });
            continue;
        }
        const std::size_t before = app.get_subcommands({}).size();
        Body body = command.add(app, context);
        CLI::App* added = app.get_subcommands({}).at(before);
        added->callback([&chosen, &chosenName, added, body = std::move(body)] {
            chosen = body;
            chosenName = added->get_name();
        });
    }
    endSentences(app);
    // For packaging/command_words.py; no option, for people have --help.
    if (argc == 2 && std::string_view(argv[1]) == "--describe") {
        context.print(described(app).dump());
        return Done;
    }
    // The words `help` and `version` mean what the options do, as in other programs.
    static char helpWord[] = "--help", versionWord[] = "--version";
    int first = 1; // word that is no flag, such as --json
    while (first < argc && std::string_view(argv[first]).starts_with("--"))
        ++first;
    const std::string_view word = first < argc ? argv[first] : std::string_view();
    if (first == argc - 1 && (word == "version" || word == "-V"))
        argv[first] = versionWord;
    if (word == "help") {
        std::rotate(argv + first, argv + first + 1, argv + argc);
        argv[argc - 1] = helpWord;
    }
    try {
        takeMarksOff(app);
        std::vector<std::string> words = parserWords(argc, argv);
        std::vector<char*> pointers;
        pointers.reserve(words.size());
        for (std::string& word : words)
            pointers.push_back(word.data());
        app.parse(argc, pointers.data());
        checkValues(app);
    } catch (const TakenOver& taken) {
        context.json = wantsJson(argc, argv);
        return becomeTraining(context, signals, taken.command, argv);
    } catch (const NotThere& missing) {
        context.json = context.json || wantsJson(argc, argv);
        return context.error(missing.error);
    } catch (const WrongValue& wrong) {
        context.json = context.json || wantsJson(argc, argv);
        return context.wrongUsage(wrong.error);
    } catch (const CLI::ParseError& wrong) {
        context.json = context.json || wantsJson(argc, argv);
        return wrongUsage(context, app, wrong);
    }
    std::error_code code;
    static_cast<void>(std::filesystem::current_path(code));
    if (code) {
        return context.error({"the working folder cannot be used: " + code.message(),
                              {},
                              0,
                              "It may have been deleted; change to another folder"});
    }
    return runBody(context, chosen);
}

} // namespace

int runProgram(int argc, char** argv, std::span<const Command> commands)
{
    holdStandardDescriptors();
    ::unsetenv(heldSignalsVariable); // it was for early.cpp, not for the programs that this one starts
    Context context;
    std::error_code ignored;
    context.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    const SignalScope signals(context);
    int status = Failed;
    try {
        status = runCommandLine(context, signals, argc, argv, commands);
    } catch (const std::exception&) {
        status = Failed; // not even a sentence could be made
    }
    // A command that a signal ended is interrupted, however it put that.
    if (status == Failed && signals.caught()) {
        status = Interrupted;
    }
    // What saves its work has said so; of the others nobody should have to guess what is left.
    if (status == Interrupted && signals.caught() && !context.savesOnSignal) {
        context.sayInterrupted();
    }
    return context.finish(status);
}

const char* programVersion()
{
    return SPARSERL_VERSION;
}

} // namespace sparserl::cli
