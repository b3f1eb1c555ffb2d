// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Additions to a verdict, in the order of lists: first reasons for a failure, then problems of a time.
enum class VerdictFlag
{
    OutOfMemory,        ///< The program failed because it requested more memory than is available.
    NotFinite,          ///< The wrong element is NaN or infinite. Only in lists, see listedFlags().
    Suspicious,         ///< The time is impossibly short, and the cause is unknown.
    SlowerThanBaseline, ///< Slower than the baseline on the matrix.
    Nondeterministic,   ///< Equal inputs gave different results within the bound.
    Copied,             ///< Nearly identical to the reference program.
    NotMeasured,        ///< Training rewarded a predicted time; the program was not timed.
    VerifiedAgain       ///< The verdict was given later, outside the run.
};
std::string_view nameOf(VerdictFlag flag); ///< "suspicious", "slower-than-baseline", ...
std::optional<VerdictFlag> verdictFlagFromName(std::string_view name);

/// The flags of a record in the order in which they were raised. Flags of a newer version are kept by name.
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
    /// Adds a flag unless it is already there.
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
