// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/headers/headers.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// The result of one NVRTC compilation.
struct NvrtcOutput
{
    bool ok = false;
    std::string ptx;
    std::string log; ///< Errors and warnings, at most 16 KiB.
    int line = 0;    ///< The line of the first error in the program; 0 if there is none or it is unknown.
};

/// NVRTC, loaded at run time. Compiles device code to PTX with fixed options (docs/design.md 5): compute_80,
/// C++17, no fast-math, -lineinfo, NDEBUG, file name "program.cu". Needs no GPU and no driver.
class Nvrtc
{
public:
    /// Fails with a sentence if no library of the right major version is found.
    static Result<Nvrtc> load();
    /// Compiles a program. `defines` are options of the form "-DNAME=value". `code` can include only
    /// `headers`, which the compiler receives in memory. An Error means that the library failed. If the
    /// program does not compile, `ok` is false.
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
