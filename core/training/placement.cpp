// SPDX-License-Identifier: Apache-2.0
#include "training/placement.h"

#include "policy/cuda_part.h"
#include "training/parameter_keys.h"

namespace sparserl {

Result<Compute> computeOf(const ParameterSet& parameters)
{
    return computeFor(parameters[param::device], parameters[param::precision]);
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
