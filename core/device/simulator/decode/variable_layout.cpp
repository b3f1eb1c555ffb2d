// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/variable_layout.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

using ptx::Space;

bool hasNoExtent(const ptx::Variable& variable)
{
    return variable.space == Space::Shared && variable.bytes == 0;
}

} // namespace

Result<VariableLayout> VariableLayout::of(const ptx::Module& module, const ptx::Function& entry,
                                          KernelCode& out)
{
    VariableLayout layout(out);
    layout.placeParameters(entry);
    // Static variables first: dynamic arrays begin where the static ones end.
    SPARSERL_CHECK(layout.placeStatic(module, entry));
    layout.placeDynamic(module);
    return layout;
}

void VariableLayout::placeParameters(const ptx::Function& entry)
{
    std::int64_t at = 0;
    for (const ptx::Param& param : entry.params) {
        at = alignUp(at, param.alignment);
        m_entryParameters[param.name] = static_cast<std::uint32_t>(at);
        m_out->paramOffsets.push_back(static_cast<std::uint32_t>(at));
        m_out->paramSizes.push_back(param.bytes);
        at += param.bytes;
    }
    m_out->paramBytes = static_cast<std::uint32_t>(at);
}

Status VariableLayout::placeStatic(const ptx::Module& module, const ptx::Function& entry)
{
    const auto place = [&](const std::vector<ptx::Variable>& variables, auto& names) -> Status {
        for (const ptx::Variable& variable : variables) {
            if (variable.space == Space::Const || variable.space == Space::Global) {
                SPARSERL_TRY(names[variable.name], placeData(variable));
            } else if (variable.space == Space::Shared && variable.bytes > 0) {
                names[variable.name] = placeShared(variable);
            }
        }
        return {};
    };
    SPARSERL_CHECK(place(module.variables, m_module));
    for (const ptx::Function& function : module.functions) {
        if (!function.declaration && (!function.entry || &function == &entry))
            SPARSERL_CHECK(place(function.variables, m_functions[function.name]));
    }
    return {};
}

void VariableLayout::placeDynamic(const ptx::Module& module)
{
    const auto any = [](const std::vector<ptx::Variable>& variables) {
        return std::any_of(variables.begin(), variables.end(), hasNoExtent);
    };
    m_dynamic =
        any(module.variables) || std::any_of(module.functions.begin(), module.functions.end(),
                                             [&](const auto& function) { return any(function.variables); });
    if (!m_dynamic)
        return;
    m_out->staticShared = alignUp(m_out->staticShared, 16);
    const auto start = m_out->addresses.firstShared + static_cast<std::uint64_t>(m_out->staticShared);
    const auto place = [&](const std::vector<ptx::Variable>& variables, auto& names) {
        for (const ptx::Variable& variable : variables) {
            if (!hasNoExtent(variable))
                continue;
            names[variable.name] = start;
            m_out->shared.push_back({variable.name, m_out->staticShared, 0, ptx::bytesOf(variable.type)});
        }
    };
    place(module.variables, m_module);
    for (const ptx::Function& function : module.functions)
        place(function.variables, m_functions[function.name]);
}

std::uint64_t VariableLayout::placeShared(const ptx::Variable& variable)
{
    m_out->staticShared = alignUp(m_out->staticShared, variable.alignment);
    const std::int64_t at = m_out->staticShared;
    m_out->shared.push_back({variable.name, at, variable.bytes, ptx::bytesOf(variable.type)});
    m_out->staticShared += variable.bytes;
    return m_out->addresses.firstShared + static_cast<std::uint64_t>(at);
}

Result<std::uint64_t> VariableLayout::placeData(const ptx::Variable& variable)
{
    const bool constant = variable.space == Space::Const;
    std::vector<std::byte>& bytes = constant ? m_out->constantBytes : m_out->variableBytes;
    const std::int64_t at = alignUp(static_cast<std::int64_t>(bytes.size()), variable.alignment);
    const auto most = static_cast<std::int64_t>(constant ? maxConstantBytes : maxVariableBytes);
    if (at + variable.bytes > most)
        return failOutOfMemory(fmt::format("the {} of the program have more than {} KiB",
                                           constant ? "constants" : "variables on the device", most >> 10));
    bytes.resize(static_cast<std::size_t>(at + variable.bytes));
    std::copy(variable.initial.begin(), variable.initial.end(), bytes.begin() + at);
    return (constant ? m_out->addresses.constants : m_out->addresses.variables) +
           static_cast<std::uint64_t>(at);
}

std::uint64_t VariableLayout::placeLocal(std::int64_t bytes, std::int64_t alignment)
{
    const std::int64_t at = alignUp(m_out->localBytes, std::max<std::int64_t>(alignment, 8));
    m_out->localBytes = at + bytes;
    return static_cast<std::uint64_t>(at);
}

void VariableLayout::finish()
{
    m_out->staticShared = alignUp(m_out->staticShared, m_dynamic ? 16 : 1);
    m_out->localBytes = alignUp(m_out->localBytes, 16); // so that every thread's part is aligned
}

std::optional<std::uint64_t> VariableLayout::ofModule(const std::string& name) const
{
    const auto found = m_module.find(name);
    return found == m_module.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> VariableLayout::entryParameter(const std::string& name) const
{
    const auto found = m_entryParameters.find(name);
    return found == m_entryParameters.end() ? std::nullopt : std::optional(found->second);
}

} // namespace sparserl::sim
