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
    std::string log;   ///< At most 16 KiB.
    std::vector<KernelResources> kernels;
};

/// nvJitLink, loaded at run time. Assembles PTX to a cubin and reads the kernels' resources from the cubin.
class NvJitLink
{
public:
    static Result<NvJitLink> load();
    /// `architecture` is "sm_90", for example. An Error means that the library failed. If the library refuses
    /// the PTX, `ok` is false.
    Result<AssembledModule> assemble(const std::string& ptx, const std::string& architecture) const;
    std::string version() const; ///< "13.0"
    const std::filesystem::path& path() const;

private:
    struct Functions;
    explicit NvJitLink(std::shared_ptr<const Functions> functions);
    std::shared_ptr<const Functions> m_functions;
};

/// Registers and bytes of shared, local and constant memory of every kernel of a cubin, from its ELF sections
/// and .nv.info.
Result<std::vector<KernelResources>> readCubinResources(const std::string& cubin);

} // namespace sparserl
