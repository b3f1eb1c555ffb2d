// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/kernel_code.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace sparserl::sim {

constexpr std::int64_t alignUp(std::int64_t value, std::int64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/// Addresses of the variables of a module and of its functions, and of the parameters of the entry.
class VariableLayout
{
public:
    using Addresses = std::map<std::string, std::uint64_t>;

    /// Places the variables shared by threads or blocks; fills the fields of `out` for parameters, shared
    /// memory and data. An Error is a limit that the program exceeds.
    static Result<VariableLayout> of(const ptx::Module& module, const ptx::Function& entry, KernelCode& out);

    /// Allocates local memory of a thread.
    std::uint64_t placeLocal(std::int64_t bytes, std::int64_t alignment);
    /// Call after placing everything: arrays without extent start after the static ones.
    void finish();

    /// A variable of the module.
    std::optional<std::uint64_t> ofModule(const std::string& name) const;
    /// Variables of a function that are not per-thread.
    const Addresses& ofFunction(const std::string& name) { return m_functions[name]; }
    /// Offset of an entry's parameter in the parameter block.
    std::optional<std::uint32_t> entryParameter(const std::string& name) const;

private:
    explicit VariableLayout(KernelCode& out)
        : m_out(&out)
    {
    }
    void placeParameters(const ptx::Function& entry);
    Status placeStatic(const ptx::Module& module, const ptx::Function& entry);
    void placeDynamic(const ptx::Module& module);
    std::uint64_t placeShared(const ptx::Variable& variable);
    /// Places a variable in constant memory or among the read-only variables.
    Result<std::uint64_t> placeData(const ptx::Variable& variable);

    KernelCode* m_out;
    std::unordered_map<std::string, std::uint64_t> m_module;
    std::unordered_map<std::string, Addresses> m_functions;
    std::unordered_map<std::string, std::uint32_t> m_entryParameters;
    bool m_dynamic = false;
};

} // namespace sparserl::sim
