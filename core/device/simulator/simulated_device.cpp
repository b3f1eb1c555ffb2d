// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"
#include "device/simulator/execution.h"

#include <fmt/format.h>

namespace sparserl {

struct SimulatedDevice::Impl
{
    std::string modelName;
};

SimulatedDevice::SimulatedDevice(std::string_view modelName)
    : m_impl(std::make_unique<Impl>(Impl{std::string(modelName)}))
{
}

SimulatedDevice::~SimulatedDevice() = default;

std::string SimulatedDevice::name() const
{
    return "simulated " + m_impl->modelName;
}

Result<ExecutionResult> SimulatedDevice::execute(const ExecutionRequest& request)
{
    if (!request.plan || !request.module || request.inputs.empty())
        return fail("an execution needs a plan, a module and at least one input");
    const DeviceModel* model = request.model ? request.model : findDeviceModel(m_impl->modelName);
    if (!model)
        return fail(fmt::format("the device model '{}' is not known", m_impl->modelName),
                    "Use h200 or generic");
    return sim::Execution(request, *model).run();
}

} // namespace sparserl
