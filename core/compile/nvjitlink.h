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
    std::string cubin; ///< ELF image for the architecture asked for.
    std::string log;   ///< At most 16 KiB.
    std::vector<KernelResources> kernels;
};

/// nvJitLink, loaded at run time: assembles PTX to a cubin and reads the resources out of it.
class NvJitLink
{
public:
    static Result<NvJitLink> load();
    /// `architecture` is "sm_90". An Error is a failure of the library; refused PTX is `ok == false`.
    Result<AssembledModule> assemble(const std::string& ptx, const std::string& architecture) const;
    std::string version() const; ///< "13.0"
    const std::filesystem::path& path() const;

private:
    struct Functions;
    explicit NvJitLink(std::shared_ptr<const Functions> functions);
    std::shared_ptr<const Functions> m_functions;
};

/// Registers, shared, local and constant bytes of every kernel of a cubin, from its ELF sections and
/// .nv.info.
Result<std::vector<KernelResources>> readCubinResources(const std::string& cubin);

} // namespace sparserl
