// SPDX-License-Identifier: Apache-2.0
#include "training/stages/placement.h"

#include "policy/compute/cuda_part.h"
#include "training/parameters/parameter_keys.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

Result<Compute> placeOf(const ParameterSet& parameters, const ProcessGroup& processes)
{
    const std::string& device = parameters[param::device];
    const std::string& precision = parameters[param::precision];
    if (processes.localSize() == 1 || (device != "auto" && device != "cuda") ||
        (device == "auto" && !usableGpus()))
        return computeFor(device, precision);
    auto compute = computeFor("cuda:" + std::to_string(processes.localRank()), precision);
    if (!compute)
        return fail(
            fmt::format("process {} needs a GPU of its own: {}", processes.rank(), compute.error().what),
            "Start no more processes on a machine than it has GPUs, or set device to cpu");
    return compute;
}

} // namespace

Result<Compute> computeOf(const ParameterSet& parameters, const ProcessGroup& processes)
{
    SPARSERL_TRY(auto compute, placeOf(parameters, processes));
    if (parameters.has(param::recompute.key))
        compute.recompute = parameters[param::recompute];
    return compute;
}

std::string processesSentence(const ProcessGroup& processes)
{
    return processes.alone() ? std::string()
                             : fmt::format("{} processes work on this run, {} of them on this machine",
                                           processes.size(), processes.localSize());
}

std::string placementSentence(const ParameterSet& parameters, const Compute& compute)
{
    if (!compute.device.is_cpu()) {
        std::string slower;
        const std::string where = "The policy writes and learns on " + compute.text();
        return graphRecorder(&slower) ? where : where + ". " + slower;
    }
    if (parameters[param::device] != "auto" || !hasGpuDriver())
        return {};
    const auto gpus = usableGpus();
    return gpus ? std::string() : "The policy writes and learns on the CPU: " + gpus.error().sentence();
}

} // namespace sparserl
