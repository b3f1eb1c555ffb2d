// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/memory/simulated_memory.h"

#include <optional>

namespace sparserl::sim {

/// The arrays of a plan in simulated memory, during the calls of one execution.
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
    /// Creates the arrays. `variableBytes`: the maximum size of a kernel's .global variables. Returns the
    /// fault of the program's plan, if any; an Error is ours.
    Result<std::optional<std::string>> setUp(std::size_t variableBytes);
    /// Fills the arrays for a call.
    Status startCall(const CallInputs& inputs, std::uint64_t call);
    /// Sets the data that a kernel reads besides the arrays, and the writable arrays.
    void startLaunch(const KernelCode& code, bool prepare);
    CallOutputs outputs() const;
    /// The first word of the request's observed array.
    std::optional<std::uint32_t> observed() const;
    /// Records the bytes of arrays touched in the first call, and the zeroed ones.
    void noteTouched(CallProfile& profile) const;
    /// The simulated address of an array.
    std::uint64_t addressOf(int buffer) const { return m_memory.regions[bufferRegion(buffer)].base; }

    /// Addresses of data other than arrays.
    const AddressPlan& addresses() const { return m_addresses.plan; }

    SimulatedMemory& memory() { return m_memory; }

private:
    /// Adds regions for constants and read-only variables.
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
