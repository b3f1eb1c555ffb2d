// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/memory/simulated_memory.h"

#include <optional>

namespace sparserl::sim {

/// The arrays of a plan in simulated memory, over the calls of one execution.
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
    /// Makes the arrays. `variableBytes`: the most that a kernel's .global variables need. Gives what is
    /// wrong with the program's plan, if anything is; an error is ours.
    Result<std::optional<std::string>> setUp(std::size_t variableBytes);
    /// Fills the arrays for a call.
    Status startCall(const CallInputs& inputs, std::uint64_t call);
    /// Sets what a kernel reads beside the arrays, and what it may write.
    void startLaunch(const KernelCode& code, bool prepare);
    CallOutputs outputs() const;
    /// The first word of the array that the request observes.
    std::optional<std::uint32_t> observed() const;
    /// Bytes of arrays that the first call touched, and what it zeroes.
    void noteTouched(CallProfile& profile) const;
    /// The simulated address of an array.
    std::uint64_t addressOf(int buffer) const { return m_memory.regions[bufferRegion(buffer)].base; }

    /// Of what is not an array.
    const AddressPlan& addresses() const { return m_addresses.plan; }

    SimulatedMemory& memory() { return m_memory; }

private:
    /// Regions of constants and of read-only variables.
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
