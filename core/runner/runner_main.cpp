// SPDX-License-Identifier: Apache-2.0
#include "runner/runner_main.h"

#include "base/json.h"
#include "base/time.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "runner/cuda_role.h"
#include "runner/gpu_sandbox.h"
#include "runner/probe.h"
#include "runner/roles.h"
#include "runner/sandbox.h"
#include "runner/tool_sandbox.h"
#include "runner/witness.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr int backgroundNice = 5; ///< A third of the usual share of a processor that others want.

struct Options
{
    std::string role;
    int socket = -1;
    std::uint64_t memoryMiB = 1024;
    int programs = 64; ///< Answers before the runner ends to be replaced.
    int gpu = 0;
    int sandbox = strictestGpuLock; ///< Step of lockDownGpu.
    int tests = 2;                  ///< Of the GPU: before the lock, and after it.
    std::string tool;               ///< What the role disassemble becomes.
    SandboxMeans means;
    bool witness = false;    ///< Refused calls are counted.
    bool background = false; ///< Others of the pool come first.
};

int usage(const std::string& problem)
{
    std::fprintf(
        stderr,
        "sparserl-runner: %s\n"
        "usage: sparserl-runner --role compile|sim|cuda --socket FD [--memory MIB] [--programs N]\n"
        "                       [--gpu N] [--sandbox 0..4] [--tests 1|2] [--witness] [--background]\n"
        "                       [--without landlock|name-spaces]\n"
        "       sparserl-runner --role disassemble --tool NVDISASM <CUBIN\n"
        "       sparserl-runner [--without landlock|name-spaces] --probe\n"
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
    return {{"type", "ready"},
            {"role", options.role},
            {"active", report.active},
            {"missing", report.missing},
            {"level", nameOf(report.level())},
            {"lacks", report.lacks()}};
}

nlohmann::json unusable(const Error& error)
{
    return {{"type", "unusable"}, {"what", error.what}, {"remedy", error.remedy}};
}

/// Adds what the witness has counted so far.
void addRefused(nlohmann::json& body, std::optional<Witness>& witness)
{
    if (witness)
        body["refused"] = witness->refused();
}

std::optional<Witness> witnessFor(const Options& options, LockedRole role)
{
    if (!options.witness)
        return std::nullopt;
    auto started = Witness::start(role);
    return started ? std::optional(std::move(*started)) : std::nullopt;
}

int serve(Channel& channel, Role& role, int programs, std::optional<Witness>& witness)
{
    double cpuBefore = threadCpuSeconds();
    for (int i = 0; i < programs; ++i) {
        auto message = channel.receive();
        if (!message)
            return 3;
        if (!*message)
            return 0; // The parent closed the socket: nothing more to do.
        nlohmann::json id = (*message)->body.value("id", nlohmann::json());
        auto answer = role.answer(**message);
        // A job that cannot be served is answered too: the parent decides what that means.
        nlohmann::json body = answer ? std::move(*answer) : failedAnswer(answer.error());
        body["id"] = std::move(id);
        // After a job that went wrong nobody knows what state this process is in.
        const bool last = i + 1 == programs || !answer;
        body["last"] = last;
        const double cpu = threadCpuSeconds();
        body["cpu"] = cpu - cpuBefore;
        cpuBefore = cpu;
        addRefused(body, witness);
        if (!channel.send(body))
            return 3;
        if (last)
            break;
    }
    return 0;
}

/// Opens the GPU, tries everything the driver does, locks the process and tries it again.
int cudaMain(Channel& channel, const Options& options, const OpenGpu& openGpu)
{
    auto witness = witnessFor(options, LockedRole::Gpu);
    SandboxMeans means = options.means;
    means.refusal = witness ? Refusal::Witnessed : Refusal::Error;
    const auto refuse = [&](const Error& error, bool locked) {
        nlohmann::json body = unusable(error);
        body["locked"] = locked;
        addRefused(body, witness);
        (void)channel.send(body);
        ::_exit(1); // The driver's destructors may hang where it does not work.
        return 1;
    };
    SandboxReport report;
    const bool enclosed = encloseGpu(options.sandbox, report, means);
    auto gpu = openGpu(options.gpu);
    if (!gpu)
        return refuse(gpu.error(), enclosed);
    const auto test = GpuSelfTest::prepare((*gpu)->info());
    if (!test)
        return refuse(test.error(), enclosed);
    if (auto tested = test->run(**gpu); !tested)
        return refuse(tested.error(), enclosed);
    if (const auto locked = lockDownGpu(options.sandbox, report, means); !locked)
        return refuse(locked.error(), true);
    if (report.listener >= 0 && !witness->watch(report.listener))
        return 3;
    if (options.tests > 1)
        if (auto tested = test->run(**gpu); !tested)
            return refuse(tested.error(), true);
    nlohmann::json body = ready(options, report);
    body["gpu"] = toJson((*gpu)->info());
    addRefused(body, witness);
    if (!channel.send(body))
        return 3;
    return serveCuda(channel, **gpu, options.programs,
                     [&](nlohmann::json& answer) { addRefused(answer, witness); });
}

} // namespace

int runnerMain(int argc, char** argv, const OpenGpu& openGpu)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--version") {
            std::puts("sparserl-runner " SPARSERL_VERSION);
            return 0;
        }
        if (name == "--probe") {
            std::puts(dumpJson(probeLocks(options.means)).c_str());
            return 0;
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
            return usage("unknown option " + std::string(name));
        if (!good)
            return usage("wrong value of " + std::string(name));
        ++i;
    }
    if (options.role == "disassemble")
        return options.tool.empty() ? usage("--tool must name a program") : becomeDisassembler(options.tool);
    if (options.role != "compile" && options.role != "sim" && options.role != "cuda")
        return usage("--role must be compile, sim, cuda or disassemble");
    if (options.socket < 0 || ::fcntl(options.socket, F_GETFD) < 0)
        return usage("--socket must be an open descriptor");

    // A process that cannot yield works all the same.
    if (options.background)
        (void)::setpriority(PRIO_PROCESS, 0, backgroundNice);
    Channel channel{FileDescriptor(options.socket)};
    if (options.role == "cuda")
        return cudaMain(channel, options, openGpu);
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
    auto witness = witnessFor(options, LockedRole::Work);
    SandboxMeans means = options.means;
    means.refusal = witness ? Refusal::Witnessed : Refusal::Error;
    SandboxLimits limits;
    limits.addressSpaceBytes = options.memoryMiB << 20;
    // A ceiling for the whole life; programs have limits of their own.
    limits.cpuSeconds = 60 * static_cast<std::uint64_t>(options.programs);
    limits.keepDescriptor = options.socket;
    limits.keepAlso = witness ? witness->fd() : -1;
    const auto report = lockDown(limits, means);
    if (!report) {
        (void)channel.send(unusable(report.error()));
        return 1;
    }
    if (report->listener >= 0 && !witness->watch(report->listener))
        return 3;
    if (!channel.send(ready(options, *report)))
        return 3;
    return serve(channel, *role, options.programs, witness);
}

} // namespace sparserl
