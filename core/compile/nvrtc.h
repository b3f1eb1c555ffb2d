// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/headers/headers.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// What came out of one NVRTC compilation.
struct NvrtcOutput
{
    bool ok = false;
    std::string ptx;
    std::string log; ///< Errors and warnings, at most 16 KiB.
    int line = 0;    ///< Line of the first error in the program, 0 if none or unknown.
};

/// NVRTC, loaded at run time. Compiles device code to PTX with fixed options (docs/design.md 5): compute_80,
/// C++17, no fast-math, -lineinfo, NDEBUG, file name "program.cu". Needs no GPU and no driver.
class Nvrtc
{
public:
    /// Fails with a sentence where no library of the right major version is found.
    static Result<Nvrtc> load();
    /// `defines` are "-DNAME=value". An Error is a failure of the library; a wrong program is `ok == false`.
    /// `headers` are all that `code` can include: the compiler gets them in memory.
    Result<NvrtcOutput> compile(const std::string& code, const std::vector<std::string>& defines,
                                const Headers::Selection& headers = {}) const;
    std::string version() const; ///< "13.0"
    const std::filesystem::path& path() const;

private:
    struct Functions;
    explicit Nvrtc(std::shared_ptr<const Functions> functions);
    std::shared_ptr<const Functions> m_functions;
};

} // namespace sparserl
