// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// True for the names of headers that a program may include. A program has no access to other files
/// (docs/design.md 5).
bool isIncludable(std::string_view name);
/// Returns the names of these headers for a sentence: "cooperative_groups.h, cuda_fp16.h, ...".
std::string includableNames();

/// The texts of the headers that programs may include. Each text is read once. Our own texts replace the C
/// headers and the headers whose contents are built into NVRTC. The other headers come only from the include
/// folder next to NVRTC's library. The compiler receives all texts in memory, so it opens no files.
class Headers
{
public:
    /// Names and texts in the form that nvrtcCreateProgram takes. Valid as long as the Headers object exists.
    struct Selection
    {
        std::vector<const char*> names, texts;
    };

    Headers() = default;
    /// Reads the headers that exist below `folder` (in the wheels: .../cu13/include). A missing header
    /// affects only programs that include it.
    static Headers read(const std::filesystem::path& folder);
    /// Selects the headers in `names` and all headers that they include. The Error names the header whose
    /// file is not installed. This is a fault of this machine, never of a program.
    Result<Selection> select(const std::vector<std::string>& names) const;

private:
    struct Header
    {
        std::string text;
        std::vector<std::string> includes; ///< Keys of m_headers.
        std::string missing;               ///< A file that the header needs but that does not exist.
    };
    const Header& add(const std::string& name, const std::filesystem::path& folder);

    std::map<std::string, Header, std::less<>> m_headers;
};

} // namespace sparserl
