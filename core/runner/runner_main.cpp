// SPDX-License-Identifier: Apache-2.0
#include "runner/runner_main.h"

#include "base/json.h"
#include "base/subprocess.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "runner/cuda_role.h"
#include "runner/gpu_sandbox.h"
#include "runner/probe.h"
#include "runner/roles.h"
#include "runner/runner_options.h"
#include "runner/service.h"
#include "runner/tool_sandbox.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr int backgroundNice = 5; ///< A third of the usual share of a processor that others want.

/// Opens the GPU, tries everything the driver does, locks the process and tries it again.
int cudaMain(Channel& channel, const RunnerOptions& options, const OpenGpu& openGpu)
{
    auto witness = witnessFor(options, LockedRole::Gpu);
    SandboxMeans means = options.means;
    means.refusal = witness ? Refusal::Witnessed : Refusal::Error;
    const auto refuse = [&](const Error& error, bool locked) {
        nlohmann::json body = unusableMessage(error);
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
    nlohmann::json body = readyMessage(options.role, report);
    body["gpu"] = toJson((*gpu)->info());
    addRefused(body, witness);
    if (!channel.send(body))
        return 3;
    return serveCuda(channel, **gpu, options.programs,
                     [&](nlohmann::json& answer) { addRefused(answer, witness); });
}

/// The role whose libraries no other role should load has a program of its own, beside this one.
int becomeOracle(char** argv)
{
    const std::string program = (executablePath().parent_path() / oracleProgram).string();
    ::execv(program.c_str(), argv);
    std::fprintf(stderr, "sparserl-runner: %s cannot be started: %s\n", program.c_str(),
                 std::strerror(errno));
    return 3;
}

ToolLock lockForPython(const RunnerOptions& options)
{
    ToolLock lock{options.tool};
    // Links that Debian puts between libraries, and what PyTorch asks about the processor.
    lock.visible = {"/etc/alternatives", "/dev/urandom", "/proc/cpuinfo", "/sys/devices/system/cpu"};
    lock.visible.insert(lock.visible.end(), options.visible.begin(), options.visible.end());
    lock.role = LockedRole::Script;
    lock.memoryBytes = options.memoryMiB << 20;
    lock.cpuSeconds = static_cast<std::uint64_t>(options.cpuSeconds);
    lock.descriptors = 64; // Of libraries while they are loaded.
    return lock;
}

} // namespace

int runnerMain(int argc, char** argv, const OpenGpu& openGpu)
{
    RunnerOptions options;
    if (const auto status = readRunnerOptions(argc, argv, options))
        return *status;
    if (options.probe) {
        std::puts(dumpJson(probeLocks(options.means)).c_str());
        return 0;
    }
    if (options.role == "disassemble")
        return options.tool.empty() ? runnerUsage("--tool must name a program")
                                    : becomeDisassembler(options.tool);
    if (options.role == "import")
        return options.tool.empty() ? runnerUsage("--tool must name a program")
                                    : becomePython(lockForPython(options), options.means);
    if (options.role == "oracle")
        return becomeOracle(argv);
    if (options.role != "compile" && options.role != "sim" && options.role != "cuda")
        return runnerUsage("--role must be compile, sim, cuda, oracle, import or disassemble");
    if (options.socket < 0 || ::fcntl(options.socket, F_GETFD) < 0)
        return runnerUsage("--socket must be an open descriptor");

    // A process that cannot yield works all the same.
    if (options.background)
        (void)::setpriority(PRIO_PROCESS, 0, backgroundNice);
    Channel channel{FileDescriptor(options.socket)};
    if (options.role == "cuda")
        return cudaMain(channel, options, openGpu);
    // A ceiling for the whole life; programs have limits of their own.
    constexpr std::uint64_t cpuSecondsPerProgram = 60;
    return serveLocked(channel, options, cpuSecondsPerProgram, [&]() -> Result<std::unique_ptr<Role>> {
        if (options.role == "compile")
            return makeCompileRole();
        return makeSimRole();
    });
}

} // namespace sparserl
