// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A remark on a verdict. Lists use this order: first reasons for a failure, then problems with a time.
enum class VerdictFlag
{
    OutOfMemory,        ///< The program failed because it requested more memory than is available.
    NotFinite,          ///< The wrong element is NaN or infinite. Used only in lists; see listedFlags().
    Suspicious,         ///< The time is impossibly short, and the cause is unknown.
    SlowerThanBaseline, ///< The program is slower than the baseline on the matrix.
    Nondeterministic,   ///< Equal inputs gave different results within the bound.
    Copied,             ///< The program is nearly identical to the reference program.
    NotMeasured,        ///< Training rewarded a predicted time; the program was not timed.
    VerifiedAgain       ///< The verdict was given later, outside the run.
};
std::string_view nameOf(VerdictFlag flag); ///< "suspicious", "slower-than-baseline", ...
std::optional<VerdictFlag> verdictFlagFromName(std::string_view name);

/// The flags of a record in the order in which they were raised. Flags that only newer versions know are
/// preserved by name.
class VerdictFlags
{
public:
    VerdictFlags() = default;
    VerdictFlags(std::initializer_list<VerdictFlag> flags);
    explicit VerdictFlags(std::vector<std::string> names)
        : m_names(std::move(names))
    {
    }

    bool has(VerdictFlag flag) const { return has(nameOf(flag)); }
    bool has(std::string_view name) const;
    /// Adds a flag if it is not set yet.
    void add(VerdictFlag flag);
    bool empty() const { return m_names.empty(); }
    const std::vector<std::string>& names() const { return m_names; }
    auto begin() const { return m_names.begin(); }
    auto end() const { return m_names.end(); }
    bool operator==(const VerdictFlags&) const = default;

private:
    std::vector<std::string> m_names;
};

} // namespace sparserl
