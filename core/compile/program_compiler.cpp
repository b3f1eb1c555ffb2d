// SPDX-License-Identifier: Apache-2.0
#include "compile/program_compiler.h"

#include "compile/gate.h"
#include "compile/ptx/module.h"
#include "compile/source_check.h"

#include <utility>

namespace sparserl {

namespace {

tl::unexpected<CompileFailure> refuse(CompileFailure::Kind kind, int line, std::string message,
                                      std::string log = {})
{
    return tl::unexpected(CompileFailure{kind, line, std::move(message), std::move(log)});
}

/// The text of the first error of a compiler's log: "program.cu(7): error: X" gives X.
std::string firstError(const std::string& log)
{
    const auto at = log.find("error: ");
    if (at == std::string::npos)
        return log.substr(0, log.find('\n'));
    const auto start = at + 7;
    return log.substr(start, log.find('\n', start) - start);
}

} // namespace

const KernelResources* CompiledProgram::find(std::string_view kernel) const
{
    for (const auto& r : resources)
        if (r.kernel == kernel)
            return &r;
    return nullptr;
}

ProgramCompiler::ProgramCompiler(Nvrtc nvrtc, NvJitLink nvJitLink)
    : m_nvrtc(std::move(nvrtc))
    , m_nvJitLink(std::move(nvJitLink))
{
}

Result<ProgramCompiler> ProgramCompiler::create()
{
    auto nvrtc = Nvrtc::load();
    if (!nvrtc)
        return fail(nvrtc.error());
    auto nvJitLink = NvJitLink::load();
    if (!nvJitLink)
        return fail(nvJitLink.error());
    ProgramCompiler compiler(std::move(*nvrtc), std::move(*nvJitLink));
    // Whatever either library opens lazily, it opens for this.
    const CompileRequest warm{
        "extern \"C\" __global__ void warm(float* y) { __shared__ float s[32]; s[threadIdx.x] = "
        "y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[threadIdx.x ^ 1]; }",
        {},
        {"warm"}};
    const auto done = compiler.compile(warm);
    if (!done)
        return fail(done.error());
    if (!*done)
        return fail("NVRTC and nvJitLink do not work together: " + done->error().message,
                    "run packaging/setup again: both must be of the same CUDA version");
    return compiler;
}

Result<tl::expected<CompiledProgram, CompileFailure>>
ProgramCompiler::compile(const CompileRequest& request) const
{
    using Kind = CompileFailure::Kind;
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    if (auto refusal = checkSource(request.code))
        return Answer(refuse(Kind::Rejected, refusal->line, std::move(refusal->reason)));
    auto compiled = m_nvrtc.compile(request.code, request.defines);
    if (!compiled)
        return fail(compiled.error());
    if (!compiled->ok)
        return Answer(refuse(Kind::CompileError, compiled->line, firstError(compiled->log), compiled->log));
    if (compiled->ptx.size() > maxPtxBytes)
        return Answer(refuse(Kind::Rejected, 0,
                             "the compiled program is " + std::to_string(compiled->ptx.size()) +
                                 " bytes of PTX; at most 1048576 are allowed",
                             compiled->log));
    const auto module = ptx::parse(compiled->ptx);
    if (!module)
        return Answer(refuse(Kind::Rejected, 0, module.error().sentence(), compiled->log));
    if (auto rejection = gate(*module, request.kernels))
        return Answer(refuse(Kind::Rejected, rejection->line, std::move(rejection->reason), compiled->log));
    auto assembled = m_nvJitLink.assemble(compiled->ptx, request.architecture);
    if (!assembled)
        return fail(assembled.error());
    if (!assembled->ok)
        return Answer(refuse(Kind::AssembleError, 0, firstError(assembled->log), assembled->log));
    CompiledProgram program;
    program.ptxHash = ptx::canonicalHash(compiled->ptx);
    program.ptx = std::move(compiled->ptx);
    program.cubin = std::move(assembled->cubin);
    program.log = std::move(compiled->log);
    program.resources = std::move(assembled->kernels);
    return Answer(std::move(program));
}

} // namespace sparserl
