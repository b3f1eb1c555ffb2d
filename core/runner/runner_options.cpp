// SPDX-License-Identifier: Apache-2.0
#include "runner/runner_options.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace sparserl {

namespace {

template <typename T>
bool readNumber(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

int runnerUsage(const std::string& problem)
{
    std::fprintf(
        stderr,
        "sparserl-runner: %s\n"
        "usage: sparserl-runner --role compile|sim|cuda|oracle --socket FD [--memory MIB] [--programs N]\n"
        "                       [--gpu N] [--sandbox 0..4] [--tests 1|2] [--witness] [--background]\n"
        "                       [--without landlock|name-spaces]\n"
        "       sparserl-runner --role disassemble --tool NVDISASM <CUBIN\n"
        "       sparserl-runner --role import --tool PYTHON [--visible PATH]... [--memory MIB] [--cpu "
        "SECONDS] <SCRIPT\n"
        "       sparserl-runner [--without landlock|name-spaces] --probe\n"
        "It is started by sparserl and the workbench and is of no use on its own.\n",
        problem.c_str());
    return 2;
}

std::optional<int> readRunnerOptions(int argc, char** argv, RunnerOptions& options)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--version") {
            std::puts("sparserl-runner " SPARSERL_VERSION);
            return 0;
        }
        if (name == "--probe") {
            options.probe = true;
            return std::nullopt;
        }
        if (name == "--witness") {
            options.witness = true;
            continue;
        }
        if (name == "--background") {
            options.background = true;
            continue;
        }
        bool good = i + 1 < argc;
        if (name == "--role")
            options.role = value;
        else if (name == "--tool")
            options.tool = value;
        else if (name == "--visible")
            options.visible.emplace_back(value);
        else if (name == "--cpu")
            good = good && readNumber(value, options.cpuSeconds) && options.cpuSeconds > 0;
        else if (name == "--socket")
            good = good && readNumber(value, options.socket) && options.socket >= 3;
        else if (name == "--memory")
            good = good && readNumber(value, options.memoryMiB) && options.memoryMiB > 0;
        else if (name == "--programs")
            good = good && readNumber(value, options.programs) && options.programs > 0;
        else if (name == "--gpu")
            good = good && readNumber(value, options.gpu) && options.gpu >= 0;
        else if (name == "--tests")
            good = good && readNumber(value, options.tests) && options.tests > 0 && options.tests <= 2;
        else if (name == "--sandbox")
            good = good && readNumber(value, options.sandbox) && options.sandbox >= 0 &&
                   options.sandbox <= strictestGpuLock;
        else if (name == "--without" && value == "landlock")
            options.means.landlock = false;
        else if (name == "--without" && value == "name-spaces")
            options.means.nameSpaces = false;
        else
            return runnerUsage("unknown option " + std::string(name));
        if (!good)
            return runnerUsage("wrong value of " + std::string(name));
        ++i;
    }
    return std::nullopt;
}

} // namespace sparserl
