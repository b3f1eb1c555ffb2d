// SPDX-License-Identifier: Apache-2.0
#include "runner/service.h"

#include "base/time.h"

#include <utility>

namespace sparserl {

namespace {

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

} // namespace

nlohmann::json readyMessage(const std::string& role, const SandboxReport& report)
{
    return {{"type", "ready"},
            {"role", role},
            {"active", report.active},
            {"missing", report.missing},
            {"level", nameOf(report.level())},
            {"lacks", report.lacks()}};
}

nlohmann::json unusableMessage(const Error& error)
{
    return {{"type", "unusable"}, {"what", error.what}, {"remedy", error.remedy}};
}

std::optional<Witness> witnessFor(const RunnerOptions& options, LockedRole role)
{
    if (!options.witness)
        return std::nullopt;
    auto started = Witness::start(role);
    return started ? std::optional(std::move(*started)) : std::nullopt;
}

void addRefused(nlohmann::json& body, std::optional<Witness>& witness)
{
    if (witness)
        body["refused"] = witness->refused();
}

int serveLocked(Channel& channel, const RunnerOptions& options, std::uint64_t cpuSecondsPerJob,
                const std::function<Result<std::unique_ptr<Role>>()>& make)
{
    const auto role = make();
    if (!role) {
        (void)channel.send(unusableMessage(role.error()));
        return 1;
    }
    auto witness = witnessFor(options, LockedRole::Work);
    SandboxMeans means = options.means;
    means.refusal = witness ? Refusal::Witnessed : Refusal::Error;
    SandboxLimits limits;
    limits.addressSpaceBytes = options.memoryMiB << 20;
    limits.cpuSeconds = cpuSecondsPerJob * static_cast<std::uint64_t>(options.programs);
    limits.keepDescriptor = options.socket;
    limits.keepAlso = witness ? witness->fd() : -1;
    const auto report = lockDown(limits, means);
    if (!report) {
        (void)channel.send(unusableMessage(report.error()));
        return 1;
    }
    if (report->listener >= 0 && !witness->watch(report->listener))
        return 3;
    if (!channel.send(readyMessage(options.role, *report)))
        return 3;
    return serve(channel, **role, options.programs, witness);
}

} // namespace sparserl
