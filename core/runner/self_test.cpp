// SPDX-License-Identifier: Apache-2.0
#include "compile/program_compiler.h"
#include "corpus/corpus.h"
#include "device/float32.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"
#include "kernel/plan.h"
#include "runner/runner_gpu.h"

#include <cmath>

namespace sparserl {

namespace {

tl::unexpected<Error> step(const char* what, const Error& error)
{
    return fail(std::string("GPU self-test, ") + what + ": " + error.sentence(), error.remedy);
}

Csr smallMatrix()
{
    Csr matrix;
    matrix.rows = matrix.cols = 257;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (std::int32_t column = row % 5; column < matrix.cols; column += 11 + row % 7)
            matrix.col.push_back(column);
        matrix.rowPtr.push_back(static_cast<std::int32_t>(matrix.col.size()));
    }
    Rng rng(1);
    matrix.val = randomVector(matrix.nnz(), rng);
    return matrix;
}

} // namespace

struct GpuSelfTest::Impl
{
    Csr matrix = smallMatrix();
    CompiledProgram compiled;
    ptx::Module module;
    BoundPlan plan;
};

GpuSelfTest::GpuSelfTest(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
GpuSelfTest::~GpuSelfTest() = default;
GpuSelfTest::GpuSelfTest(GpuSelfTest&&) noexcept = default;

Result<GpuSelfTest> GpuSelfTest::prepare(const GpuInfo& info)
{
    const auto compiler = ProgramCompiler::create();
    if (!compiler)
        return step("loading the compiler", compiler.error());
    const auto program = parseProgram(referenceProgram(Task::SpMV).text);
    if (!program)
        return fail("GPU self-test: the reference program has a wrong plan: " + program.error().reason);
    CompileRequest request;
    request.code = program->code;
    for (const auto& call : program->plan.calls)
        request.kernels.push_back(call.kernel);
    request.architecture = info.architecture();
    auto compiled = compiler->compile(request);
    if (!compiled)
        return step("compiling", compiled.error());
    if (!*compiled)
        return fail("GPU self-test: the reference program does not compile for " + request.architecture +
                    ": " + compiled->error().message);
    auto impl = std::make_unique<Impl>();
    impl->compiled = std::move(**compiled);
    auto module = ptx::parse(impl->compiled.ptx);
    if (!module)
        return step("reading PTX", module.error());
    impl->module = std::move(*module);
    auto plan = bindPlan(program->plan, {impl->matrix, {1}}, info.limits());
    if (!plan)
        return fail("GPU self-test: the reference program does not bind: " + plan.error().reason);
    impl->plan = std::move(*plan);
    return GpuSelfTest(std::move(impl));
}

Status GpuSelfTest::run(RunnerGpu& gpu) const
{
    const Csr& matrix = m_impl->matrix;
    Rng rng(2);
    const auto x = randomVector(matrix.cols, rng);
    ExecutionRequest run;
    run.plan = &m_impl->plan;
    run.module = &m_impl->module;
    run.inputs = {denseInput(Task::SpMV, x)};
    run.cubin = m_impl->compiled.cubin;
    run.resources = m_impl->compiled.resources;
    const auto result = gpu.execute(run);
    if (!result)
        return step("running a kernel", result.error());
    if (result->fault)
        return fail("GPU self-test: a correct kernel faults: " + result->fault->message);
    const auto expected = reference(matrix, x, 1);
    if (result->outputs.size() != 1)
        return fail("GPU self-test: one call gave " + std::to_string(result->outputs.size()) + " outputs");
    if (const auto wrong =
            firstWrong(denseOutput(Task::SpMV, result->outputs[0]), expected, Tolerance::Bound))
        return fail("GPU self-test: y[" + std::to_string(wrong->row) + "] of a correct kernel is " +
                    std::to_string(wrong->got) + " instead of " + std::to_string(wrong->expected));
    MeasureRequest measure;
    measure.plan = run.plan;
    measure.module = run.module;
    measure.cubin = run.cubin;
    measure.ring = run.inputs;
    measure.samples = 3;
    measure.sampleMicroseconds = 50;
    measure.compare = CompareRequest{std::make_shared<const Csr>(matrix), 1, underflowOf(false)};
    const auto measured = gpu.measure(measure);
    if (!measured)
        return step("timing a kernel", measured.error());
    if (measured->fault)
        return fail("GPU self-test: a correct kernel faults under timing: " + measured->fault->message);
    if (const auto& wrong = measured->compared.wrong)
        return fail("GPU self-test: y[" + std::to_string(wrong->row) +
                    "] of a correct kernel that is timed is " + std::to_string(wrong->got) + " instead of " +
                    std::to_string(wrong->expected));
    if (!(measured->warm.median > 0) || !std::isfinite(measured->warm.median))
        return fail("GPU self-test: a kernel takes " + std::to_string(measured->warm.median) + " us");
    BaselineOptions baselines;
    baselines.samples = 3;
    baselines.sampleMicroseconds = 50;
    const auto libraries = gpu.measureBaselines(matrix, 1, baselines);
    if (!libraries)
        return step("timing cuSPARSE", libraries.error());
    if (libraries->empty())
        return fail("GPU self-test: no cuSPARSE routine could be timed");
    if (gpu.poisoned())
        return fail("GPU self-test: the context is unusable after correct kernels");
    return {};
}

} // namespace sparserl
