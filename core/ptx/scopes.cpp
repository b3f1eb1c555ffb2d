// SPDX-License-Identifier: Apache-2.0
#include "ptx/scopes.h"
#include "ptx/special_registers.h"

#include <charconv>
#include <fmt/format.h>

namespace sparserl::ptx {

namespace {

/// Where the digits at the end of a name begin.
std::size_t digitsOf(std::string_view name)
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    return digits;
}

} // namespace

bool isIdentifier(std::string_view name)
{
    const bool marked = !name.empty() && (name.front() == '_' || name.front() == '$' || name.front() == '%');
    if (name.empty() || name.front() == '.' || name.size() <= (marked ? 1 : 0) || name == "WARP_SZ")
        return false;
    return name.find_first_of(".:") == std::string_view::npos && name.find('%', 1) == std::string_view::npos;
}

void Scopes::enter()
{
    m_scopes.emplace_back().parent = m_current;
    m_current = static_cast<int>(m_scopes.size()) - 1;
}

void Scopes::leave()
{
    m_current = std::max(m_scopes[m_current].parent, 0);
}

Status Scopes::declare(std::string_view name)
{
    if (!isIdentifier(name))
        return m_reader.error(fmt::format("'{}' is not a name", name));
    Scope& scope = m_scopes[m_current];
    if (!scope.names.insert(name).second)
        return m_reader.error(fmt::format("the name '{}' is declared twice", name));
    const std::size_t digits = digitsOf(name);
    const auto range = scope.ranges.find(name.substr(0, digits));
    if (digits == name.size() || range == scope.ranges.end() || range->second.count < 0)
        return {};
    std::int64_t number = 0;
    const auto read = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (read.ec != std::errc{} || number < range->second.count)
        return m_reader.error(
            fmt::format("the name '{}' is one of '{}<...>' already", name, name.substr(0, digits)));
    return {};
}

Status Scopes::declareVariable(std::string_view name, int index)
{
    SPARSERL_CHECK(declare(name));
    m_scopes[m_current].variables[name] = index;
    return {};
}

/// "%r<9>": none of its names may be taken, and its prefix ends where its numbers start.
Status Scopes::declareRange(std::string_view prefix, std::int64_t count)
{
    if (prefix.back() >= '0' && prefix.back() <= '9')
        return m_reader.error(fmt::format("the registers '{}<...>' end in a digit", prefix));
    const auto& names = m_scopes[m_current].names;
    for (auto name = names.lower_bound(prefix); name != names.end() && name->starts_with(prefix); ++name) {
        std::int64_t number = -1;
        const auto read = std::from_chars(name->data() + prefix.size(), name->data() + name->size(), number);
        if (read.ptr == name->data() + name->size() && number >= 0 && number < count)
            return m_reader.error(fmt::format("the name '{}' is declared twice", *name));
    }
    return {};
}

Status Scopes::declareRegisters(std::string_view name, Type type, std::int64_t count)
{
    if (isSpecialRegisterName(name) || isSpecialRegisterName(std::string(name) + ".x"))
        return m_reader.error(fmt::format("the register '{}' has a reserved name", name));
    SPARSERL_CHECK(count < 0 ? declare(name) : declareRange(name, count));
    if (!m_scopes[m_current].ranges.emplace(name, RegisterRange{type, count}).second)
        return m_reader.error(fmt::format("the register '{}' is declared twice", name));
    return {};
}

Status Scopes::declareLabel(std::string_view name, int index)
{
    SPARSERL_CHECK(declare(name));
    m_scopes[m_current].labels.emplace(name, index);
    return {};
}

void Scopes::setTargets(std::string_view name, std::vector<std::string> labels)
{
    m_scopes[m_current].targets.emplace(name, std::move(labels));
}

Result<int> Scopes::findRegister(Function& function, std::string_view name)
{
    const std::size_t digits = digitsOf(name);
    for (int at = m_current; at >= 0; at = m_scopes[at].parent) {
        Scope& scope = m_scopes[at];
        if (const auto found = scope.registers.find(name); found != scope.registers.end())
            return found->second;
        auto range = scope.ranges.find(name);
        if (range != scope.ranges.end() && range->second.count >= 0)
            range = scope.ranges.end();
        // "%r12" of "%r<20>": no leading zero, below the count; a prefix may itself end in digits.
        for (std::size_t split = digits; range == scope.ranges.end() && split < name.size() && split > 0;
             ++split) {
            const auto candidate = scope.ranges.find(name.substr(0, split));
            std::int64_t value = -1;
            const std::string_view tail = name.substr(split);
            if (candidate == scope.ranges.end() || tail.size() > 9 ||
                (tail.size() > 1 && tail.front() == '0'))
                continue;
            std::from_chars(tail.data(), tail.data() + tail.size(), value);
            if (value >= 0 && value < candidate->second.count)
                range = candidate;
        }
        if (range == scope.ranges.end())
            continue;
        const int index = static_cast<int>(function.registers.size());
        function.registers.push_back({std::string(name), range->second.type});
        scope.registers.emplace(name, index);
        return index;
    }
    return m_reader.error(fmt::format("the register '{}' is not declared", name));
}

int Scopes::findVariable(std::string_view name) const
{
    for (int at = m_current; at >= 0; at = m_scopes[at].parent) {
        if (const auto found = m_scopes[at].variables.find(name); found != m_scopes[at].variables.end())
            return found->second;
    }
    return -1;
}

const std::vector<std::string>* Scopes::findTargets(std::string_view name) const
{
    for (int at = m_current; at >= 0; at = m_scopes[at].parent) {
        if (const auto found = m_scopes[at].targets.find(name); found != m_scopes[at].targets.end())
            return &found->second;
    }
    return nullptr;
}

int Scopes::findLabel(int scope, std::string_view name) const
{
    for (int at = scope; at >= 0; at = m_scopes[at].parent) {
        if (const auto found = m_scopes[at].labels.find(name); found != m_scopes[at].labels.end())
            return found->second;
    }
    return -1;
}

std::optional<std::string_view> Scopes::ambiguousLabel() const
{
    for (const Scope& scope : m_scopes)
        for (const auto& [label, target] : scope.labels)
            for (int outer = scope.parent; outer >= 0; outer = m_scopes[outer].parent)
                if (m_scopes[outer].labels.contains(label))
                    return label;
    return std::nullopt;
}

} // namespace sparserl::ptx
