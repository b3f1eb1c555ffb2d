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

/// What the compile role is asked for.
struct CompileRequest
{
    std::string code; ///< Device code with every line of the program text (KernelProgram::code).
    std::vector<std::string> defines; ///< "-DNAME=value", from the plan's consts.
    std::vector<std::string> kernels; ///< Names the plan calls; each must be an .entry.
    std::string architecture = "sm_90";
    bool assemble = true; ///< Else the answer has no cubin and no resources: assemble() makes them later.
};

/// PTX of an earlier answer, to be assembled.
struct AssembleRequest
{
    std::string ptx;
    std::vector<std::string> kernels;
    std::string architecture = "sm_90";
};

/// One PTX text per candidate: what is gated is what is simulated, assembled and launched
/// (docs/design.md 1.2).
struct CompiledProgram
{
    std::string ptx;
    std::string ptxHash; ///< Without .file, .loc and .section.
    std::string cubin;
    std::string log; ///< Warnings of NVRTC.
    std::vector<KernelResources> resources;
    CodeTraits traits;
    const KernelResources* find(std::string_view kernel) const;
};

/// A program that did not get through, with the verdict it becomes (docs/formats.md 2).
struct CompileFailure
{
    enum class Kind
    {
        CompileError,
        Rejected,
        AssembleError,
        NotInstalled ///< A header that it includes: this machine's fault, no verdict.
    };
    Kind kind = Kind::CompileError;
    int line = 0; ///< In the program text, from 1; 0 if unknown.
    std::string message;
    std::string log;
    bool outOfMemory = false; ///< More memory was asked for than there is.
};

/// Source check, NVRTC, gate, nvJitLink, in this order (docs/design.md 5). Runs in the compile role only.
class ProgramCompiler
{
public:
    /// Loads both libraries, reads the headers beside NVRTC and compiles a small program, so that everything
    /// they open is open afterwards.
    static Result<ProgramCompiler> create();
    /// The outer Error is a failure of our machinery, never of the program.
    Result<tl::expected<CompiledProgram, CompileFailure>> compile(const CompileRequest& request) const;
    /// Gate and nvJitLink only; the answer has cubin and resources, no PTX.
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
