// SPDX-License-Identifier: Apache-2.0
#include "compile/program_compiler.h"

#include "compile/gate.h"
#include "compile/header_changes.h"
#include "compile/source_check.h"
#include "machine/shared_memory.h"
#include "ptx/module.h"

#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

tl::unexpected<CompileFailure> refuse(CompileFailure::Kind kind, int line, std::string message,
                                      std::string log = {})
{
    return tl::unexpected(CompileFailure{kind, line, std::move(message), std::move(log)});
}

tl::unexpected<CompileFailure> refuse(Rejection rejection, std::string log = {})
{
    return tl::unexpected(CompileFailure{CompileFailure::Kind::Rejected, rejection.line,
                                         std::move(rejection.reason), std::move(log), rejection.outOfMemory});
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

std::int64_t staticSharedBytes(const ptx::Module& module)
{
    std::int64_t bytes = 0;
    const auto add = [&](const std::vector<ptx::Variable>& variables) {
        for (const auto& v : variables)
            if (v.space == ptx::Space::Shared)
                bytes += v.bytes;
    };
    add(module.variables);
    for (const auto& function : module.functions)
        add(function.variables);
    return bytes;
}

} // namespace

const KernelResources* CompiledProgram::find(std::string_view kernel) const
{
    for (const auto& r : resources)
        if (r.kernel == kernel)
            return &r;
    return nullptr;
}

ProgramCompiler::ProgramCompiler(Nvrtc nvrtc, NvJitLink nvJitLink, std::shared_ptr<const Headers> headers)
    : m_nvrtc(std::move(nvrtc))
    , m_nvJitLink(std::move(nvJitLink))
    , m_headers(std::move(headers))
{
}

Result<ProgramCompiler> ProgramCompiler::create()
{
    SPARSERL_TRY(auto nvrtc, Nvrtc::load());
    SPARSERL_TRY(auto nvJitLink, NvJitLink::load());
    // .../cu13/lib/libnvrtc.so.13 and .../cu13/include; in a toolkit lib64 and include.
    const auto folder = nvrtc.path().parent_path().parent_path() / "include";
    ProgramCompiler compiler(std::move(nvrtc), std::move(nvJitLink),
                             std::make_shared<const Headers>(Headers::read(folder)));
    // Whatever either library opens lazily, it opens for this.
    const CompileRequest warm{
        "extern \"C\" __global__ void warm(float* y) { __shared__ float s[32]; s[threadIdx.x] = "
        "y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[threadIdx.x ^ 1]; }",
        {},
        {"warm"}};
    SPARSERL_TRY(const auto done, compiler.compile(warm));
    if (!done)
        return fail("NVRTC and nvJitLink do not work together: " + done.error().message,
                    fmt::format("{}: both must be of the same CUDA version", installAgain));
    return compiler;
}

Result<tl::expected<CompiledProgram, CompileFailure>>
ProgramCompiler::compile(const CompileRequest& request) const
{
    using Kind = CompileFailure::Kind;
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    auto source = readSource(request.code);
    if (source.refusal)
        return Answer(refuse(Kind::Rejected, source.refusal->line, std::move(source.refusal->reason)));
    const auto headers = m_headers->select(source.includes);
    if (!headers)
        return Answer(refuse(Kind::NotInstalled, 0, headers.error().sentence()));
    SPARSERL_TRY(auto compiled, m_nvrtc.compile(request.code, request.defines, *headers));
    if (!compiled.ok)
        return Answer(refuse(Kind::CompileError, compiled.line, firstError(compiled.log), compiled.log));
    if (compiled.ptx.size() > maxPtxBytes)
        return Answer(refuse(Kind::Rejected, 0,
                             "the compiled program is " + std::to_string(compiled.ptx.size()) +
                                 " bytes of PTX; at most 1048576 are allowed",
                             compiled.log));
    auto admitted = admit(clearTileBarriers(std::move(compiled.ptx)), request.kernels);
    if (!admitted)
        return Answer(refuse(std::move(admitted.error()), compiled.log));
    CompiledProgram program;
    // What the assembler may refuse is asked at once: such a program does not count as compiled.
    // ptxas refuses kernels with more static shared memory than every device has.
    if (request.assemble || staticSharedBytes(admitted->module) > sharedBytesOfEveryDevice) {
        auto assembled = link(admitted->text, request.architecture);
        if (!assembled || !*assembled)
            return assembled;
        program = std::move(**assembled);
    }
    program.traits = codeTraits(admitted->module, request.kernels);
    program.ptxHash = ptx::canonicalHash(admitted->text);
    program.ptx = std::move(admitted->text);
    program.log = std::move(compiled.log);
    return Answer(std::move(program));
}

Result<tl::expected<CompiledProgram, CompileFailure>>
ProgramCompiler::assemble(const AssembleRequest& request) const
{
    using Kind = CompileFailure::Kind;
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    // The PTX was in other hands since it passed the gate.
    const auto module = ptx::parse(request.ptx);
    if (!module)
        return Answer(refuse(Kind::Rejected, 0, module.error().sentence()));
    if (auto rejection = gate(*module, request.kernels))
        return Answer(refuse(std::move(*rejection)));
    return link(request.ptx, request.architecture);
}

Result<tl::expected<CompiledProgram, CompileFailure>>
ProgramCompiler::link(const std::string& ptx, const std::string& architecture) const
{
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    SPARSERL_TRY(auto assembled, m_nvJitLink.assemble(ptx, architecture));
    if (!assembled.ok) {
        auto refused =
            refuse(CompileFailure::Kind::AssembleError, 0, firstError(assembled.log), assembled.log);
        // "Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)": ptxas has words only.
        refused.value().outOfMemory = refused.value().message.find(" uses too much ") != std::string::npos;
        return Answer(std::move(refused));
    }
    CompiledProgram program;
    program.cubin = std::move(assembled.cubin);
    program.resources = std::move(assembled.kernels);
    return Answer(std::move(program));
}

} // namespace sparserl
