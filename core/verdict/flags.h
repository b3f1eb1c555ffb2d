// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a verdict says beside itself, in the order of lists: first why it failed, then what is wrong with a
/// time.
enum class VerdictFlag
{
    OutOfMemory,        ///< It failed because it asked for more memory than there is.
    NotFinite,          ///< Wrong with a NaN or an infinity; only in lists, see listedFlags().
    Suspicious,         ///< Its time cannot be, and nobody found out why.
    SlowerThanBaseline, ///< Than what programs are compared with on the matrix.
    Nondeterministic,   ///< Equal inputs gave results that differ within the bound.
    Copied,             ///< Nearly the reference program.
    NotMeasured,        ///< Training has paid for a predicted time; it has none of its own.
    VerifiedAgain       ///< The verdict fell outside the run, later.
};
std::string_view nameOf(VerdictFlag flag); ///< "suspicious", "slower-than-baseline", ...
std::optional<VerdictFlag> verdictFlagFromName(std::string_view name);

/// The flags of a record in the order in which they were raised. Those of a newer version are kept by name.
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
    /// Raises a flag once.
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
