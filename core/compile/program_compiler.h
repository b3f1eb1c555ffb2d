// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/code_traits.h"
#include "compile/nvjitlink.h"
#include "compile/nvrtc.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// A request to the compile role.
struct CompileRequest
{
    std::string code; ///< Device code with every line of the program text (KernelProgram::code).
    std::vector<std::string> defines; ///< "-DNAME=value", from the plan's consts.
    std::vector<std::string> kernels; ///< Names of the kernels that the plan calls. Each must be an .entry.
    std::string architecture = "sm_90";
    /// If false, the answer has no cubin and no resources; assemble() makes them later.
    bool assemble = true;
};

/// A request to assemble the PTX of an earlier answer.
struct AssembleRequest
{
    std::string ptx;
    std::vector<std::string> kernels;
    std::string architecture = "sm_90";
};

/// A compiled program. It has one PTX text, which is gated, simulated, assembled and launched (docs/design.md
/// 1.2).
struct CompiledProgram
{
    std::string ptx;
    std::string ptxHash; ///< Hash of the PTX without .file, .loc and .section.
    std::string cubin;
    std::string log; ///< Warnings of NVRTC.
    std::vector<KernelResources> resources;
    CodeTraits traits;
    const KernelResources* find(std::string_view kernel) const;
};

/// The reason why a program was not compiled. The kind determines the verdict (docs/formats.md 2).
struct CompileFailure
{
    enum class Kind
    {
        CompileError,
        Rejected,
        AssembleError,
        NotInstalled ///< An included header is not installed. This is a fault of this machine and gives no
                     ///< verdict.
    };
    Kind kind = Kind::CompileError;
    int line = 0; ///< The line in the program text, from 1; 0 if unknown.
    std::string message;
    std::string log;
    bool outOfMemory = false; ///< The program requested more memory than is available.
};

/// Runs the source check, NVRTC, the gate and nvJitLink, in this order (docs/design.md 5). Used only in the
/// compile role.
class ProgramCompiler
{
public:
    /// Loads both libraries, reads the headers next to NVRTC and compiles a small program. Afterwards, all
    /// files that the libraries need are open.
    static Result<ProgramCompiler> create();
    /// The outer Error means that our own code or this machine failed, never the program.
    Result<tl::expected<CompiledProgram, CompileFailure>> compile(const CompileRequest& request) const;
    /// Runs only the gate and nvJitLink. The answer contains the cubin and resources, but no PTX.
    Result<tl::expected<CompiledProgram, CompileFailure>> assemble(const AssembleRequest& request) const;
    const Nvrtc& nvrtc() const { return m_nvrtc; }
    const NvJitLink& nvJitLink() const { return m_nvJitLink; }

private:
    ProgramCompiler(Nvrtc nvrtc, NvJitLink nvJitLink, std::shared_ptr<const Headers> headers);
    Result<tl::expected<CompiledProgram, CompileFailure>> link(const std::string& ptx,
                                                               const std::string& architecture) const;
    Nvrtc m_nvrtc;
    NvJitLink m_nvJitLink;
    std::shared_ptr<const Headers> m_headers;
};

} // namespace sparserl
