// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/resources.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

struct AssembledModule
{
    bool ok = false;
    std::string cubin; ///< ELF image for the requested architecture.
    std::string log;   ///< The messages of nvJitLink, at most 16 KiB.
    std::vector<KernelResources> kernels;
};

/// nvJitLink, loaded at run time. Assembles PTX to a cubin and reads the kernels' resources from the cubin.
class NvJitLink
{
public:
    static Result<NvJitLink> load();
    /// Assembles PTX for an `architecture` such as "sm_90". An Error means that the library failed. If the
    /// library refuses the PTX, `ok` is false.
    Result<AssembledModule> assemble(const std::string& ptx, const std::string& architecture) const;
    std::string version() const; ///< "13.0"
    const std::filesystem::path& path() const;

private:
    struct Functions;
    explicit NvJitLink(std::shared_ptr<const Functions> functions);
    std::shared_ptr<const Functions> m_functions;
};

/// Reads the registers and the bytes of shared, local and constant memory of every kernel of a cubin from its
/// ELF sections and .nv.info.
Result<std::vector<KernelResources>> readCubinResources(const std::string& cubin);

} // namespace sparserl
