// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/parameters.h"
#include "base/toml.h"

#include <fmt/format.h>
#include <stdexcept>

namespace sparserl {

ParameterSet::ParameterSet()
    : ParameterSet(ParameterDeclarations())
{
}

ParameterSet::ParameterSet(ParameterDeclarations declarations)
    : m_declarations(std::make_shared<const ParameterDeclarations>(std::move(declarations)))
{
    for (const auto& spec : m_declarations->specs()) {
        m_values.emplace(spec.key, spec.defaultValue);
    }
}

const ParameterValue& ParameterSet::value(std::string_view key) const
{
    const auto it = m_values.find(key);
    if (it == m_values.end()) {
        throw std::logic_error("parameter is not declared: " + std::string(key));
    }
    return it->second;
}

namespace {

template <typename T>
const T& require(const ParameterValue& value, std::string_view key)
{
    if (const auto* held = std::get_if<T>(&value)) {
        return *held;
    }
    throw std::logic_error("parameter has another type: " + std::string(key));
}

} // namespace

bool ParameterSet::boolean(std::string_view key) const
{
    return require<bool>(value(key), key);
}

std::int64_t ParameterSet::integer(std::string_view key) const
{
    return require<std::int64_t>(value(key), key);
}

double ParameterSet::real(std::string_view key) const
{
    const ParameterValue& held = value(key);
    if (const auto* integer = std::get_if<std::int64_t>(&held)) {
        return static_cast<double>(*integer);
    }
    return require<double>(held, key);
}

const std::string& ParameterSet::text(std::string_view key) const
{
    return require<std::string>(value(key), key);
}

bool ParameterSet::isDefault(std::string_view key) const
{
    const auto* spec = m_declarations->find(key);
    return spec && value(key) == spec->defaultValue;
}

Status ParameterSet::set(std::string_view key, const ParameterValue& value)
{
    const auto* spec = m_declarations->find(key);
    if (!spec) {
        return fail(m_declarations->unknown(key));
    }
    SPARSERL_TRY(auto checked, spec->check(value));
    m_values.find(key)->second = std::move(checked);
    return {};
}

Status ParameterSet::setText(std::string_view key, std::string_view text)
{
    const auto* spec = m_declarations->find(key);
    if (!spec) {
        return fail(m_declarations->unknown(key));
    }
    SPARSERL_TRY(auto parsed, spec->parse(text));
    m_values.find(key)->second = std::move(parsed);
    return {};
}

Status ParameterSet::setAssignment(std::string_view assignment)
{
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return fail(fmt::format("\"{}\" is not of the form KEY=VALUE", assignment));
    }
    std::string_view key = assignment.substr(0, equals);
    while (!key.empty() && key.back() == ' ') {
        key.remove_suffix(1);
    }
    while (!key.empty() && key.front() == ' ') {
        key.remove_prefix(1);
    }
    return setText(key, assignment.substr(equals + 1));
}

void ParameterSet::reset(std::string_view key)
{
    if (const auto* spec = m_declarations->find(key)) {
        m_values.find(key)->second = spec->defaultValue;
    }
}

std::vector<std::string> ParameterSet::differences(const ParameterSet& other) const
{
    std::vector<std::string> keys;
    for (const auto& spec : m_declarations->specs()) {
        const auto it = other.m_values.find(spec.key);
        if (it == other.m_values.end() || it->second != value(spec.key)) {
            keys.push_back(spec.key);
        }
    }
    for (const auto& spec : other.m_declarations->specs()) {
        if (!has(spec.key)) {
            keys.push_back(spec.key);
        }
    }
    return keys;
}

toml::table ParameterSet::toToml() const
{
    toml::table out;
    for (const auto& spec : m_declarations->specs()) {
        toml::table* table = &out;
        std::string_view rest = spec.key;
        for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
            const std::string_view name = rest.substr(0, dot);
            table->insert(name, toml::table{});
            table = (*table)[name].as_table();
            if (!table) {
                throw std::logic_error("parameter is both a value and a table: " + spec.key);
            }
            rest = rest.substr(dot + 1);
        }
        std::visit([&](const auto& held) { table->insert_or_assign(rest, held); }, value(spec.key));
    }
    return out;
}

namespace {

Status mergeTable(ParameterSet& set, const toml::table& table, const std::string& prefix,
                  const std::string& file)
{
    for (const auto& [key, node] : table) {
        const std::string full =
            prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
        if (const auto* inner = node.as_table()) {
            SPARSERL_CHECK(mergeTable(set, *inner, full, file));
            continue;
        }
        Status status;
        if (const auto* flag = node.as_boolean()) {
            status = set.set(full, flag->get());
        } else if (const auto* integer = node.as_integer()) {
            status = set.set(full, integer->get());
        } else if (const auto* real = node.as_floating_point()) {
            status = set.set(full, real->get());
        } else if (const auto* text = node.as_string()) {
            status = set.set(full, text->get());
        } else {
            status = fail(fmt::format("parameter {}: a list or a date is not possible here", full));
        }
        if (!status) {
            Error error = status.error();
            error.file = file;
            error.line = lineOf(node);
            return fail(std::move(error));
        }
    }
    return {};
}

} // namespace

Status ParameterSet::merge(const toml::table& table, const std::string& file)
{
    ParameterSet copy = *this;
    auto merged = mergeTable(copy, table, {}, file);
    if (merged) {
        *this = std::move(copy);
    }
    return merged;
}

nlohmann::json ParameterSet::toJson() const
{
    nlohmann::json out = nlohmann::json::object();
    for (const auto& [key, held] : m_values) {
        std::visit([&out, &name = key](const auto& v) { out[name] = v; }, held);
    }
    return out;
}

Status ParameterSet::merge(const nlohmann::json& object)
{
    if (!object.is_object()) {
        return fail("parameters must be a JSON object");
    }
    ParameterSet copy = *this;
    for (const auto& [key, entry] : object.items()) {
        Status status;
        if (entry.is_boolean()) {
            status = copy.set(key, entry.get<bool>());
        } else if (entry.is_number_integer()) {
            const auto number = jsonAs<std::int64_t>(entry);
            status = number ? copy.set(key, *number)
                            : fail(fmt::format("parameter {}: {} is beyond 64 bits", key, entry.dump()));
        } else if (entry.is_number()) {
            status = copy.set(key, entry.get<double>());
        } else if (entry.is_string()) {
            status = copy.set(key, entry.get<std::string>());
        } else {
            status = fail(fmt::format("parameter {}: {} is not possible here", key, entry.type_name()));
        }
        if (!status) {
            return status;
        }
    }
    *this = std::move(copy);
    return {};
}

} // namespace sparserl
