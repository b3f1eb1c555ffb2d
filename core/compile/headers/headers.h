// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// True for the names that a program may include; there is no other file for it (docs/design.md 5).
bool isIncludable(std::string_view name);
/// "cooperative_groups.h, cuda_fp16.h, ..." for sentences.
std::string includableNames();

/// The texts of those headers, read once. Own texts stand for the C headers and for what NVRTC has built in;
/// the others come from the include folder beside NVRTC's library and from nowhere else. The compiler gets
/// them in memory, so that it opens no file.
class Headers
{
public:
    /// Names and texts as nvrtcCreateProgram takes them; they live as long as the Headers.
    struct Selection
    {
        std::vector<const char*> names, texts;
    };

    Headers() = default;
    /// Reads what is there below `folder` (of the wheels: .../cu13/include). What is not there is missing
    /// only for programs that include it.
    static Headers read(const std::filesystem::path& folder);
    /// `names` and everything that they include. The Error names the header whose file is not installed: that
    /// is this machine's fault, never a program's.
    Result<Selection> select(const std::vector<std::string>& names) const;

private:
    struct Header
    {
        std::string text;
        std::vector<std::string> includes; ///< By their names here.
        std::string missing;               ///< A file that it needs and that is not there.
    };
    const Header& add(const std::string& name, const std::filesystem::path& folder);

    std::map<std::string, Header, std::less<>> m_headers;
};

} // namespace sparserl
