// SPDX-License-Identifier: Apache-2.0
#include "base/parameters.h"

#include "base/format.h"
#include "base/json.h"
#include "base/trimmed.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace sparserl {

std::string_view nameOf(ParameterType type)
{
    switch (type) {
    case ParameterType::Bool:
        return "bool";
    case ParameterType::Int:
        return "int";
    case ParameterType::Double:
        return "real";
    case ParameterType::String:
        return "text";
    case ParameterType::Enum:
        return "choice";
    }
    return "text";
}

std::string_view nameOf(ParameterEffect effect)
{
    switch (effect) {
    case ParameterEffect::Live:
        return "live";
    case ParameterEffect::NextIteration:
        return "next iteration";
    case ParameterEffect::Restart:
        return "restart";
    }
    return "restart";
}

std::string toText(const ParameterValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "true" : "false";
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return formatNumber(*real);
    }
    return std::get<std::string>(value);
}

namespace {

ParameterSpec makeSpec(std::string key, ParameterType type, ParameterValue value)
{
    ParameterSpec spec;
    spec.key = std::move(key);
    spec.type = type;
    spec.defaultValue = std::move(value);
    return spec;
}

template <typename Change>
ParameterSpec changed(const ParameterSpec& spec, Change change)
{
    ParameterSpec copy = spec;
    change(copy);
    return copy;
}

} // namespace

ParameterSpec ParameterSpec::boolean(std::string key, bool value)
{
    return makeSpec(std::move(key), ParameterType::Bool, value);
}
ParameterSpec ParameterSpec::integer(std::string key, std::int64_t value)
{
    return makeSpec(std::move(key), ParameterType::Int, value);
}
ParameterSpec ParameterSpec::real(std::string key, double value)
{
    return makeSpec(std::move(key), ParameterType::Double, value);
}
ParameterSpec ParameterSpec::text(std::string key, std::string value)
{
    return makeSpec(std::move(key), ParameterType::String, std::move(value));
}
ParameterSpec ParameterSpec::choice(std::string key, std::string value, std::vector<std::string> choices)
{
    ParameterSpec spec = makeSpec(std::move(key), ParameterType::Enum, std::move(value));
    spec.choices = std::move(choices);
    return spec;
}

ParameterSpec ParameterSpec::boolean(Param<bool> param, bool value)
{
    return boolean(std::string(param.key), value);
}
ParameterSpec ParameterSpec::integer(Param<std::int64_t> param, std::int64_t value)
{
    return integer(std::string(param.key), value);
}
ParameterSpec ParameterSpec::real(Param<double> param, double value)
{
    return real(std::string(param.key), value);
}
ParameterSpec ParameterSpec::text(Param<std::string> param, std::string value)
{
    return text(std::string(param.key), std::move(value));
}
ParameterSpec ParameterSpec::choice(Param<std::string> param, std::string value,
                                    std::vector<std::string> choices)
{
    return choice(std::string(param.key), std::move(value), std::move(choices));
}

ParameterSpec ParameterSpec::range(double low, double high) const
{
    return changed(*this, [&](ParameterSpec& s) {
        s.minimum = low;
        s.maximum = high;
    });
}
ParameterSpec ParameterSpec::atLeast(double low) const
{
    return changed(*this, [&](ParameterSpec& s) { s.minimum = low; });
}
ParameterSpec ParameterSpec::above(double low) const
{
    return changed(*this, [&](ParameterSpec& s) {
        s.minimum = low;
        s.minimumExcluded = true;
    });
}
ParameterSpec ParameterSpec::unit(std::string text) const
{
    return changed(*this, [&](ParameterSpec& s) { s.unitText = std::move(text); });
}
ParameterSpec ParameterSpec::help(std::string sentence) const
{
    return changed(*this, [&](ParameterSpec& s) { s.helpText = std::move(sentence); });
}
ParameterSpec ParameterSpec::source(std::string text) const
{
    return changed(*this, [&](ParameterSpec& s) { s.sourceText = std::move(text); });
}
ParameterSpec ParameterSpec::live() const
{
    return changed(*this, [](ParameterSpec& s) { s.effect = ParameterEffect::Live; });
}
ParameterSpec ParameterSpec::nextIteration() const
{
    return changed(*this, [](ParameterSpec& s) { s.effect = ParameterEffect::NextIteration; });
}
ParameterSpec ParameterSpec::restart() const
{
    return changed(*this, [](ParameterSpec& s) { s.effect = ParameterEffect::Restart; });
}
ParameterSpec ParameterSpec::group(std::string name) const
{
    return changed(*this, [&](ParameterSpec& s) { s.groupName = std::move(name); });
}

std::string ParameterSpec::rangeText() const
{
    if (type == ParameterType::Enum) {
        return fmt::format("one of {}", fmt::join(choices, ", "));
    }
    if (minimum && maximum) {
        return fmt::format("in {}{}, {}]", minimumExcluded ? "(" : "[", formatNumber(*minimum),
                           formatNumber(*maximum));
    }
    if (minimum) {
        return fmt::format("{} {}", minimumExcluded ? "above" : "at least", formatNumber(*minimum));
    }
    if (maximum) {
        return fmt::format("at most {}", formatNumber(*maximum));
    }
    return {};
}

Result<ParameterValue> ParameterSpec::check(const ParameterValue& value) const
{
    const auto wrong = [&](std::string_view problem) {
        const std::string allowed = rangeText();
        return fail(fmt::format("parameter {}: \"{}\" {}", key, toText(value), problem),
                    allowed.empty() ? fmt::format("Give a value of type {}, such as {}", nameOf(type),
                                                  toText(defaultValue))
                                    : fmt::format("Give a value of type {} {}", nameOf(type), allowed));
    };
    ParameterValue out = value;
    double number = 0;
    switch (type) {
    case ParameterType::Bool:
        if (!std::holds_alternative<bool>(value)) {
            return wrong("is neither true nor false");
        }
        return out;
    case ParameterType::String:
        if (!std::holds_alternative<std::string>(value)) {
            return wrong("is not a text");
        }
        return out;
    case ParameterType::Enum:
        if (!std::holds_alternative<std::string>(value) ||
            std::find(choices.begin(), choices.end(), std::get<std::string>(value)) == choices.end()) {
            return wrong("is not a choice");
        }
        return out;
    case ParameterType::Int:
        if (const auto* real = std::get_if<double>(&value);
            real && std::abs(*real) < 9e15 && *real == std::floor(*real)) {
            out = static_cast<std::int64_t>(*real); // 1e6 is an integer to people.
        }
        if (!std::holds_alternative<std::int64_t>(out)) {
            return wrong("is not an integer");
        }
        number = static_cast<double>(std::get<std::int64_t>(out));
        break;
    case ParameterType::Double:
        if (const auto* integer = std::get_if<std::int64_t>(&value)) {
            out = static_cast<double>(*integer);
        }
        if (!std::holds_alternative<double>(out)) {
            return wrong("is not a number");
        }
        number = std::get<double>(out);
        if (!std::isfinite(number)) {
            return wrong("is not a finite number");
        }
        break;
    }
    if ((minimum && (number < *minimum || (minimumExcluded && number == *minimum))) ||
        (maximum && number > *maximum)) {
        return wrong("is out of range");
    }
    return out;
}

Result<ParameterValue> ParameterSpec::parse(std::string_view text) const
{
    const std::string_view word = trimmed(text, " \t");
    switch (type) {
    case ParameterType::Bool:
        for (const std::string_view yes : {"true", "yes", "on", "1"}) {
            if (word == yes) {
                return true;
            }
        }
        for (const std::string_view no : {"false", "no", "off", "0"}) {
            if (word == no) {
                return false;
            }
        }
        break;
    case ParameterType::Int:
    case ParameterType::Double: {
        const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
        std::int64_t integer = 0;
        const char* end = digits.data() + digits.size();
        if (auto [at, error] = std::from_chars(digits.data(), end, integer);
            error == std::errc() && at == end) {
            return check(integer);
        }
        double real = 0;
        if (auto [at, error] = std::from_chars(digits.data(), end, real); error == std::errc() && at == end) {
            return check(real);
        }
        break;
    }
    case ParameterType::String:
        return check(std::string(text));
    case ParameterType::Enum:
        break;
    }
    return check(std::string(word));
}

ParameterDeclarations::ParameterDeclarations(std::initializer_list<ParameterSpec> specs)
{
    for (const auto& spec : specs) {
        add(spec);
    }
}

void ParameterDeclarations::add(ParameterSpec spec)
{
    if (m_index.contains(spec.key)) {
        throw std::logic_error("parameter declared twice: " + spec.key);
    }
    auto checked = spec.check(spec.defaultValue);
    if (!checked) {
        throw std::logic_error("bad default: " + checked.error().sentence());
    }
    spec.defaultValue = std::move(*checked);
    m_index.emplace(spec.key, m_specs.size());
    m_specs.push_back(std::move(spec));
}

void ParameterDeclarations::add(const ParameterDeclarations& others)
{
    for (const auto& spec : others.specs()) {
        add(spec);
    }
}

const ParameterSpec* ParameterDeclarations::find(std::string_view key) const
{
    const auto it = m_index.find(key);
    return it == m_index.end() ? nullptr : &m_specs[it->second];
}

Error ParameterDeclarations::unknown(std::string_view key) const
{
    std::vector<std::string> keys;
    for (const auto& spec : m_specs) {
        keys.push_back(spec.key);
    }
    const std::string near = nearestWord(key, keys);
    return Error{fmt::format("there is no parameter \"{}\"", key),
                 {},
                 0,
                 near.empty() ? "`sparserl train PRESET --parameters` lists them"
                              : "Did you mean " + near + "?"};
}

std::string ParameterDeclarations::describe() const
{
    std::string out;
    std::vector<std::string> groups;
    for (const auto& spec : m_specs) {
        if (std::find(groups.begin(), groups.end(), spec.groupName) == groups.end()) {
            groups.push_back(spec.groupName);
        }
    }
    for (const auto& group : groups) {
        out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", group.empty() ? "General" : group);
        for (const auto& spec : m_specs) {
            if (spec.groupName != group) {
                continue;
            }
            const std::string allowed = spec.rangeText();
            out += fmt::format("  {:<32} {} (default {}{}{}{}; {}{}{})\n", spec.key, spec.helpText,
                               toText(spec.defaultValue), spec.unitText.empty() ? "" : " " + spec.unitText,
                               allowed.empty() ? "" : "; ", allowed, nameOf(spec.effect),
                               spec.sourceText.empty() ? "" : "; ", spec.sourceText);
        }
    }
    return out;
}

std::string ParameterDeclarations::describeMarkdown() const
{
    std::string out =
        "| parameter | default | range | effect | meaning | source |\n|---|---|---|---|---|---|\n";
    for (const auto& spec : m_specs) {
        out += fmt::format("| `{}` | {}{} | {} | {} | {} | {} |\n", spec.key, toText(spec.defaultValue),
                           spec.unitText.empty() ? "" : " " + spec.unitText, spec.rangeText(),
                           nameOf(spec.effect), spec.helpText, spec.sourceText);
    }
    return out;
}

namespace {

nlohmann::json valueToJson(const ParameterValue& value)
{
    return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

} // namespace

nlohmann::json ParameterDeclarations::toJson() const
{
    nlohmann::json list = nlohmann::json::array();
    for (const auto& spec : m_specs) {
        nlohmann::json entry{{"key", spec.key},
                             {"type", nameOf(spec.type)},
                             {"default", valueToJson(spec.defaultValue)},
                             {"unit", spec.unitText},
                             {"help", spec.helpText},
                             {"source", spec.sourceText},
                             {"effect", nameOf(spec.effect)},
                             {"group", spec.groupName},
                             {"range", spec.rangeText()}};
        if (spec.minimum) {
            entry["min"] = *spec.minimum;
        }
        if (spec.maximum) {
            entry["max"] = *spec.maximum;
        }
        if (!spec.choices.empty()) {
            entry["choices"] = spec.choices;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace sparserl
