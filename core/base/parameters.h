// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/typed_parameter.h"

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Including all of toml++ is expensive. The conversions below need only the name of its table type; include
// base/toml.h to use the type.
#include <toml++/impl/forward_declarations.h>

namespace sparserl {

enum class ParameterType
{
    Bool,
    Int,
    Double,
    String,
    Enum
};
std::string_view nameOf(ParameterType type); ///< "bool", "int", "real", "text", "choice"

/// When a change to a parameter of a running job takes effect.
enum class ParameterEffect
{
    Live,
    NextIteration,
    Restart
};
std::string_view nameOf(ParameterEffect effect); ///< "live", "next iteration", "restart"

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;
/// The text that a user would type: "true", "3", "0.1", "text".
std::string toText(const ParameterValue& value);

/// The declaration of one parameter. The command line, the launch form, run.toml, the steering panel and the
/// documentation are generated from it.
struct ParameterSpec
{
    std::string key; ///< Lower case with dots: "ppo.clip_range".
    ParameterType type = ParameterType::Double;
    ParameterValue defaultValue = 0.0;
    std::optional<double> minimum, maximum;
    bool minimumExcluded = false;     ///< The value must exceed the minimum.
    std::vector<std::string> choices; ///< For type "choice".
    std::string unitText;             ///< "tokens", "s", or empty
    std::string helpText;             ///< One sentence.
    std::string sourceText;           ///< Source of the default: "SparseRL A.4".
    ParameterEffect effect = ParameterEffect::Restart;
    std::string groupName; ///< Heading in the form and in --help.

    static ParameterSpec boolean(std::string key, bool value);
    static ParameterSpec integer(std::string key, std::int64_t value);
    static ParameterSpec real(std::string key, double value);
    static ParameterSpec text(std::string key, std::string value);
    static ParameterSpec choice(std::string key, std::string value, std::vector<std::string> choices);
    static ParameterSpec boolean(Param<bool> param, bool value);
    static ParameterSpec integer(Param<std::int64_t> param, std::int64_t value);
    static ParameterSpec real(Param<double> param, double value);
    static ParameterSpec text(Param<std::string> param, std::string value);
    static ParameterSpec choice(Param<std::string> param, std::string value,
                                std::vector<std::string> choices);

    ParameterSpec range(double low, double high) const;
    ParameterSpec atLeast(double low) const;
    ParameterSpec above(double low) const;
    ParameterSpec unit(std::string text) const;
    ParameterSpec help(std::string sentence) const;
    ParameterSpec source(std::string text) const;
    ParameterSpec live() const;
    ParameterSpec nextIteration() const;
    ParameterSpec restart() const;
    ParameterSpec group(std::string name) const;

    /// Returns the range as text: "in [0, 1]", "above 0", "one of ppo, grpo", or empty.
    std::string rangeText() const;
    /// Converts a value to the parameter's type (a real parameter accepts an integer). The Error names the
    /// key and the range.
    Result<ParameterValue> check(const ParameterValue& value) const;
    /// Parses text as a user types it ("1e-4", "yes"; "2.5k" is not a number).
    Result<ParameterValue> parse(std::string_view text) const;
};

/// A list of declarations in display order. Keys are unique.
class ParameterDeclarations
{
public:
    ParameterDeclarations() = default;
    ParameterDeclarations(std::initializer_list<ParameterSpec> specs);
    /// Throws std::logic_error for a duplicate key or a default value outside the parameter's range.
    void add(ParameterSpec spec);
    void add(const ParameterDeclarations& others);
    const std::vector<ParameterSpec>& specs() const { return m_specs; }
    const ParameterSpec* find(std::string_view key) const;
    /// Returns the Error for an undeclared key. Its remedy names the closest declared key.
    Error unknown(std::string_view key) const;
    /// Returns the table for `--help` and the documentation, with a block for each group and a line for each
    /// parameter.
    std::string describe() const;
    /// Returns a Markdown table for the documentation.
    std::string describeMarkdown() const;
    /// Returns a list of objects with all fields of the declarations, for forms in other processes.
    nlohmann::json toJson() const;

private:
    std::vector<ParameterSpec> m_specs;
    std::map<std::string, std::size_t, std::less<>> m_index;
};

/// Declarations with a value for each. Copies are independent.
class ParameterSet
{
public:
    ParameterSet();
    explicit ParameterSet(ParameterDeclarations declarations);

    const ParameterDeclarations& declarations() const { return *m_declarations; }
    bool has(std::string_view key) const { return m_declarations->find(key) != nullptr; }

    /// Throws std::logic_error if the key is not declared or has another type, which is a programming error.
    bool boolean(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    double real(std::string_view key) const;             ///< Also accepts integer parameters.
    const std::string& text(std::string_view key) const; ///< For texts and choices.
    const ParameterValue& value(std::string_view key) const;
    /// Returns the value of the parameter with a typed key (see Param).
    bool operator[](Param<bool> param) const { return boolean(param.key); }
    std::int64_t operator[](Param<std::int64_t> param) const { return integer(param.key); }
    double operator[](Param<double> param) const { return real(param.key); }
    const std::string& operator[](Param<std::string> param) const { return text(param.key); }
    bool isDefault(std::string_view key) const;

    Status set(std::string_view key, const ParameterValue& value);
    Status setText(std::string_view key, std::string_view text);
    /// Sets a parameter from "KEY=VALUE", the argument of --set.
    Status setAssignment(std::string_view assignment);
    void reset(std::string_view key);

    /// Returns the keys whose values differ from those in `other`.
    std::vector<std::string> differences(const ParameterSet& other) const;

    /// Returns every parameter. Dots in keys become tables: `ppo.clip_range` is `clip_range` in `[ppo]`.
    toml::table toToml() const;
    /// Sets the values in the table. Unknown keys, wrong types and values out of range are Errors (with file
    /// and line if known) and leave the set unchanged. A preset may omit keys.
    Status merge(const toml::table& table, const std::string& file = {});
    /// Returns a flat object {"ppo.clip_range": 0.2, ...}.
    nlohmann::json toJson() const;
    Status merge(const nlohmann::json& object);

    bool operator==(const ParameterSet& other) const { return m_values == other.m_values; }

private:
    std::shared_ptr<const ParameterDeclarations> m_declarations;
    std::map<std::string, ParameterValue, std::less<>> m_values;
};

} // namespace sparserl
