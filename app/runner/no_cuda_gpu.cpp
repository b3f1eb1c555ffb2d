// SPDX-License-Identifier: Apache-2.0
// Until core/device/cuda is built: the role cuda says why it cannot work.
#include "gpu.h"

namespace sparserl {

Result<std::unique_ptr<Gpu>> openCudaGpu(int)
{
    return fail("this build has no CUDA device", "use the simulated device");
}

std::string GpuInfo::architecture() const
{
    return "sm_" + std::to_string(major) + std::to_string(minor);
}

DeviceLimits GpuInfo::limits() const
{
    return {};
}

} // namespace sparserl
