// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/memory/simulated_memory.h"

#include <optional>

namespace sparserl::sim {

/// The arrays of a plan in simulated memory while an execution makes its calls.
class PlanMemory
{
public:
    PlanMemory(const ExecutionRequest& request, const DeviceModel& model)
        : m_request(request)
        , m_plan(*request.plan)
        , m_model(model)
        , m_addresses(drawAddresses(m_plan, request.layout, request.seed))
    {
    }
    /// Creates the arrays. `variableBytes` is the maximum size of a kernel's .global variables. Returns a
    /// fault of the program's plan, if any. An Error is a failure of our machinery.
    Result<std::optional<std::string>> setUp(std::size_t variableBytes);
    /// Sets the contents of the arrays for a call.
    Status startCall(const CallInputs& inputs, std::uint64_t call);
    /// Sets the data other than arrays that a kernel reads, and which arrays it may write.
    void startLaunch(const KernelCode& code, bool prepare);
    CallOutputs outputs() const;
    /// Returns the first word of the array that the request observes; nullopt if the plan does not have it.
    std::optional<std::uint32_t> observed() const;
    /// Notes the bytes of arrays that the first call touched, and the sizes of buffers that are set to zero.
    void noteTouched(CallProfile& profile) const;
    /// Returns the simulated address of an array.
    std::uint64_t addressOf(int buffer) const { return m_memory.regions[bufferRegion(buffer)].base; }

    /// Returns the addresses of data other than arrays.
    const AddressPlan& addresses() const { return m_addresses.plan; }

    SimulatedMemory& memory() { return m_memory; }

private:
    /// Adds the regions of constants and read-only variables.
    void addData();
    Status addBuffer(std::size_t index, std::uint64_t sector);

    const ExecutionRequest& m_request;
    const BoundPlan& m_plan;
    const DeviceModel& m_model;
    AddressLayoutDraw m_addresses;
    SimulatedMemory m_memory;
    std::vector<std::vector<std::byte>> m_storage;
};

} // namespace sparserl::sim
