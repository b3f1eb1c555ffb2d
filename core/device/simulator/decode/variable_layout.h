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

/// The addresses of the variables of a module and of its functions, and of the entry's parameters.
class VariableLayout
{
public:
    using Addresses = std::map<std::string, std::uint64_t>;

    /// Places the variables that threads or blocks share, and sets the fields of `out` for parameters, shared
    /// memory and data. Returns an Error if the program exceeds a limit.
    static Result<VariableLayout> of(const ptx::Module& module, const ptx::Function& entry, KernelCode& out);

    /// Allocates local memory of each thread.
    std::uint64_t placeLocal(std::int64_t bytes, std::int64_t alignment);
    /// Places arrays without extent after the static arrays. Call it after placing everything else.
    void finish();

    /// Returns the address of a variable of the module.
    std::optional<std::uint64_t> ofModule(const std::string& name) const;
    /// Returns the addresses of a function's variables that are not per-thread.
    const Addresses& ofFunction(const std::string& name) { return m_functions[name]; }
    /// Returns the offset of an entry's parameter in the parameter block.
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
    /// Places a variable in constant memory or with the read-only variables.
    Result<std::uint64_t> placeData(const ptx::Variable& variable);

    KernelCode* m_out;
    std::unordered_map<std::string, std::uint64_t> m_module;
    std::unordered_map<std::string, Addresses> m_functions;
    std::unordered_map<std::string, std::uint32_t> m_entryParameters;
    bool m_dynamic = false;
};

} // namespace sparserl::sim
