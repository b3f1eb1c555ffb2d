// SPDX-License-Identifier: Apache-2.0
#include "evaluation/channel.h"
#include "roles.h"
#include "sandbox.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>

// sparserl-runner --role compile|sim --socket FD [--memory MIB] [--programs N]: untrusted work in a locked
// process. Started by the pool (evaluation/runner_pool.h), which talks to it over the socket; not for people.

namespace {

using namespace sparserl;

struct Options
{
    std::string role;
    int socket = -1;
    std::uint64_t memoryMiB = 1024;
    int programs = 64; ///< Answers before the runner ends to be replaced.
};

int usage(const std::string& problem)
{
    std::fprintf(stderr,
                 "sparserl-runner: %s\n"
                 "usage: sparserl-runner --role compile|sim --socket FD [--memory MIB] [--programs N]\n"
                 "It is started by sparserl and the workbench and is of no use on its own.\n",
                 problem.c_str());
    return 2;
}

template <typename T>
bool readNumber(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// The first message says how the runner came up: {"type":"ready",...} or {"type":"unusable","what":...}.
nlohmann::json ready(const Options& options, const SandboxReport& report)
{
    return {
        {"type", "ready"}, {"role", options.role}, {"active", report.active}, {"missing", report.missing}};
}

nlohmann::json unusable(const Error& error)
{
    return {{"type", "unusable"}, {"what", error.what}, {"remedy", error.remedy}};
}

int serve(Channel& channel, Role& role, int programs)
{
    for (int i = 0; i < programs; ++i) {
        auto message = channel.receive();
        if (!message)
            return 3;
        if (!*message)
            return 0; // The parent closed the socket: nothing more to do.
        nlohmann::json id = (*message)->body.value("id", nlohmann::json());
        auto answer = role.answer(**message);
        // A job that cannot be served is answered too: the parent decides what that means.
        nlohmann::json body = answer
                                  ? std::move(*answer)
                                  : nlohmann::json{{"type", "failed"}, {"what", answer.error().sentence()}};
        body["id"] = std::move(id);
        body["last"] = i + 1 == programs;
        if (!channel.send(body))
            return 3;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--version") {
            std::puts("sparserl-runner " SPARSERL_VERSION);
            return 0;
        }
        bool good = i + 1 < argc;
        if (name == "--role")
            options.role = value;
        else if (name == "--socket")
            good = good && readNumber(value, options.socket) && options.socket >= 3;
        else if (name == "--memory")
            good = good && readNumber(value, options.memoryMiB) && options.memoryMiB > 0;
        else if (name == "--programs")
            good = good && readNumber(value, options.programs) && options.programs > 0;
        else
            return usage("unknown option " + std::string(name));
        if (!good)
            return usage("wrong value of " + std::string(name));
        ++i;
    }
    if (options.role == "cuda")
        return usage("the role cuda is not part of this version; programs run on the simulated device");
    if (options.role != "compile" && options.role != "sim")
        return usage("--role must be compile or sim");
    if (options.socket < 0 || ::fcntl(options.socket, F_GETFD) < 0)
        return usage("--socket must be an open descriptor");

    Channel channel{FileDescriptor(options.socket)};
    std::unique_ptr<Role> role;
    if (options.role == "compile") {
        auto made = makeCompileRole();
        if (!made) {
            (void)channel.send(unusable(made.error()));
            return 1;
        }
        role = std::move(*made);
    } else {
        role = makeSimRole();
    }
    SandboxLimits limits;
    limits.addressSpaceBytes = options.memoryMiB << 20;
    // A ceiling for the whole life; programs have limits of their own.
    limits.cpuSeconds = 60 * static_cast<std::uint64_t>(options.programs);
    limits.keepDescriptor = options.socket;
    const auto report = lockDown(limits);
    if (!report) {
        (void)channel.send(unusable(report.error()));
        return 1;
    }
    if (!channel.send(ready(options, *report)))
        return 3;
    return serve(channel, *role, options.programs);
}
