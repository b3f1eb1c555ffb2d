// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/collect.h"
#include "device/float32.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "device/calibration/parallel.h"
#include "device/calibration/programs.h"
#include "device/device.h"
#include "kernel/plan.h"
#include "matrix/features.h"
#include "ptx/module.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <map>
#include <memory>
#include <set>

namespace sparserl {

namespace {

constexpr std::size_t ringSize = 8;
constexpr std::int64_t maxPlanBytes = std::int64_t(3) << 30;
constexpr std::uint64_t profileSteps = 400'000'000;

/// A program compiled once for all matrices; shared between threads.
struct Compiled
{
    std::optional<KernelProgram> program;
    CompiledProgram code;
    std::optional<ptx::Module> module;
    std::string problem;
};
using CompiledMap = std::map<std::string, std::shared_ptr<Compiled>>;

std::shared_ptr<Compiled> compileProgram(const std::string& text, const ProgramCompiler& compiler,
                                         const std::string& architecture)
{
    auto result = std::make_shared<Compiled>();
    auto program = parseProgram(text);
    if (!program) {
        result->problem = program.error().reason;
        return result;
    }
    CompileRequest request;
    request.code = program->code;
    request.architecture = architecture;
    for (const PlanCall& call : program->plan.calls) {
        if (std::find(request.kernels.begin(), request.kernels.end(), call.kernel) == request.kernels.end())
            request.kernels.push_back(call.kernel);
    }
    auto compiled = compiler.compile(request);
    if (!compiled) {
        result->problem = compiled.error().sentence();
        return result;
    }
    if (!*compiled) {
        result->problem = (*compiled).error().message;
        return result;
    }
    auto module = ptx::parse((*compiled)->ptx);
    if (!module) {
        result->problem = module.error().sentence();
        return result;
    }
    result->program = std::move(*program);
    result->code = std::move(**compiled);
    result->module = std::move(*module);
    return result;
}

/// Compiles what `known` does not have yet.
void compileMissing(const std::vector<std::string>& texts, CompiledMap& known,
                    const ProgramCompiler& compiler, const CollectOptions& options)
{
    std::vector<std::string> missing;
    for (const std::string& text : texts) {
        if (known.emplace(text, nullptr).second)
            missing.push_back(text);
    }
    std::vector<std::shared_ptr<Compiled>> made(missing.size());
    parallelFor(missing.size(), options.threads,
                [&](std::size_t i) { made[i] = compileProgram(missing[i], compiler, options.architecture); });
    for (std::size_t i = 0; i < missing.size(); ++i)
        known[missing[i]] = std::move(made[i]);
}

std::int64_t bytesOf(const BoundPlan& plan)
{
    std::int64_t bytes = 0;
    for (const BoundBuffer& buffer : plan.buffers)
        bytes += buffer.bytes();
    return bytes;
}

/// Vectors x or matrices B of a target, drawn in its element type.
std::vector<Numbers> makeInputs(const Csr& matrix, const TargetVariant& variant, std::size_t vectors,
                                std::uint64_t seed)
{
    const auto count = static_cast<std::size_t>(std::int64_t(matrix.cols) * variant.columns);
    std::vector<Numbers> inputs(vectors, Numbers(variant.type, count));
    Rng rng(seed);
    for (Numbers& input : inputs) {
        for (std::size_t i = 0; i < count; ++i) {
            const double magnitude = 0.5 + rng.uniform();
            input.set(i, rng.chance(0.5) ? magnitude : -magnitude);
        }
    }
    return inputs;
}

/// A matrix with its programs, ready to be measured.
struct Prepared
{
    TargetId target;
    std::string problem;
    std::shared_ptr<const Csr> matrix;
    std::vector<Numbers> inputs;
    struct One
    {
        DerivedProgram derived;
        std::shared_ptr<Compiled> compiled;
        std::optional<BoundPlan> plan;
    };
    std::vector<One> programs;
};

class Collection
{
public:
    Collection(const ProgramCompiler& compiler, const CollectOptions& options, const Measure& measure)
        : m_compiler(compiler)
        , m_options(options)
        , m_measure(measure)
        , m_done(options.done.begin(), options.done.end())
    {
    }

    /// Only one at a time runs (on its own thread): it owns the compiled programs.
    std::unique_ptr<Prepared> prepare(const CalibrationMatrix& source)
    {
        auto result = std::make_unique<Prepared>();
        result->target.name = source.name;
        auto matrix = source.load();
        if (!matrix) {
            result->problem = matrix.error().sentence();
            return result;
        }
        result->matrix = std::make_shared<const Csr>(std::move(*matrix));
        if (result->matrix->rows < 1 || result->matrix->cols < 1 || result->matrix->nnz() < 1) {
            result->problem = source.name + " has no entries";
            return result;
        }
        result->target.contents = digest(*result->matrix);
        result->target.variant = m_options.variant;
        const MatrixFeatures features = computeFeatures(*result->matrix, m_options.variant.columns);
        if (result->matrix->type != m_options.variant.type)
            result->matrix = std::make_shared<const Csr>(inType(*result->matrix, m_options.variant.type));
        // More than asked for: some do not apply to the matrix.
        auto derived = programsToMeasure(m_options.variant, features, m_options.model,
                                         {m_options.programs + 8, m_options.recommended,
                                          m_options.seed + static_cast<std::uint64_t>(features.nnz)});
        std::vector<std::string> texts;
        std::vector<DerivedProgram> wanted;
        for (DerivedProgram& program : derived) {
            CalibrationRow row;
            row.target = result->target;
            row.program = program.text;
            if (m_done.count(row.key()))
                continue;
            texts.push_back(program.text);
            wanted.push_back(std::move(program));
        }
        compileMissing(texts, m_compiled, m_compiler, m_options);
        std::vector<Prepared::One> all(wanted.size());
        parallelFor(wanted.size(), m_options.threads, [&](std::size_t i) {
            Prepared::One& one = all[i];
            one.compiled = m_compiled.at(wanted[i].text);
            one.derived = std::move(wanted[i]);
            if (!one.compiled->program)
                return;
            auto plan =
                bindPlan(one.compiled->program->plan, {*result->matrix, m_options.variant}, m_options.limits);
            if (plan && bytesOf(*plan) <= maxPlanBytes)
                one.plan = std::move(*plan);
        });
        for (Prepared::One& one : all) {
            if (result->programs.size() < m_options.programs && (one.plan || !one.compiled->problem.empty()))
                result->programs.push_back(std::move(one));
        }
        result->inputs = makeInputs(*result->matrix, m_options.variant, ringSize, m_options.seed);
        return result;
    }

    Status measure(const Prepared& prepared, const std::function<Status(const CalibrationRow&)>& take)
    {
        for (const Prepared::One& one : prepared.programs) {
            if (m_options.cancel.cancelled())
                return fail(interruption());
            CalibrationRow row;
            row.target = prepared.target;
            row.rows = prepared.matrix->rows;
            row.cols = prepared.matrix->cols;
            row.nnz = prepared.matrix->nnz();
            row.family = one.derived.family;
            row.parameters = parametersJson(one.derived.parameters);
            row.program = one.derived.text;
            row.device = m_options.device;
            if (!one.plan) {
                row.problem = one.compiled->problem;
                SPARSERL_CHECK(take(row));
                continue;
            }
            row.resources = one.compiled->code.resources;
            MeasureRequest request;
            request.plan = &*one.plan;
            request.module = &*one.compiled->module;
            request.cubin = one.compiled->code.cubin;
            const Task task = one.compiled->program->plan.task;
            for (const Numbers& input : prepared.inputs)
                request.ring.push_back(denseInput(task, input));
            request.seed = m_options.seed;
            request.compare =
                CompareRequest{prepared.matrix, m_options.variant.columns,
                               underflowOf(one.compiled->code.traits.atomics, m_options.variant.type)};
            request.cancel = m_options.cancel;
            SPARSERL_TRY(auto measured, m_measure(request));
            if (measured.fault) {
                row.problem = measured.fault->message;
            } else {
                row.warm = measured.warm;
                row.cold = measured.cold;
                row.clocksAgree = measured.clocksAgree;
                row.setupMicroseconds = measured.setupMicroseconds;
                row.correct = measured.compared.calls > 0 && !measured.compared.wrong;
                if (!row.correct)
                    row.problem = "the result is wrong";
            }
            if (!row.problem.empty() && m_options.log)
                m_options.log(
                    fmt::format("{} {} {}: {}", row.target.name, row.family, row.parameters, row.problem));
            SPARSERL_CHECK(take(row));
        }
        return {};
    }

private:
    const ProgramCompiler& m_compiler;
    const CollectOptions& m_options;
    const Measure& m_measure;
    std::set<std::string> m_done;
    CompiledMap m_compiled;
};

} // namespace

Status collectMeasurements(const std::vector<CalibrationMatrix>& matrices, const ProgramCompiler& compiler,
                           const CollectOptions& options, const Measure& measure,
                           const std::function<Status(const CalibrationRow&)>& take)
{
    Collection collection(compiler, options, measure);
    // The next matrix is read, compiled and bound while this one is measured.
    std::future<std::unique_ptr<Prepared>> next;
    const auto start = [&](std::size_t i) {
        next = std::async(std::launch::async, [&, i] { return collection.prepare(matrices[i]); });
    };
    if (!matrices.empty())
        start(0);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const std::unique_ptr<Prepared> prepared = next.get();
        if (options.enough && options.enough())
            break;
        if (i + 1 < matrices.size())
            start(i + 1);
        if (options.progress)
            options.progress(double(i) / double(matrices.size()), "measuring " + prepared->target.name);
        if (!prepared->problem.empty()) {
            if (options.log)
                options.log(prepared->problem);
            continue;
        }
        SPARSERL_CHECK(collection.measure(*prepared, take));
    }
    return {};
}

Status simulateProfiles(std::vector<CalibrationRow>& rows, const std::vector<CalibrationMatrix>& matrices,
                        const ProgramCompiler& compiler, const CollectOptions& options, bool again)
{
    std::map<std::string, std::vector<std::size_t>> byMatrix;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].correct && (again || !rows[i].profile)) {
            byMatrix[rows[i].target.name].push_back(i);
            texts.push_back(rows[i].program);
        }
    }
    CompiledMap compiled;
    compileMissing(texts, compiled, compiler, options);
    std::size_t done = 0;
    for (const CalibrationMatrix& source : matrices) {
        const auto found = byMatrix.find(source.name);
        if (found == byMatrix.end())
            continue;
        if (options.cancel.cancelled())
            return fail(interruption());
        if (options.enough && options.enough())
            break;
        if (options.progress)
            options.progress(double(done) / double(texts.size()), "simulating " + source.name);
        done += found->second.size();
        const auto matrix = source.load();
        if (!matrix) {
            if (options.log)
                options.log(matrix.error().sentence());
            continue;
        }
        const TargetId identity{.contents = digest(*matrix)};
        std::optional<Csr> doubles;
        if (std::any_of(found->second.begin(), found->second.end(),
                        [&](std::size_t k) { return rows[k].target.variant.type == ElementType::F64; }))
            doubles = inType(*matrix, ElementType::F64);
        parallelFor(found->second.size(), options.threads, [&](std::size_t k) {
            CalibrationRow& row = rows[found->second[k]];
            const Compiled& code = *compiled.at(row.program);
            if (!row.target.sameContents(identity) || !code.program)
                return;
            const TargetVariant& variant = row.target.variant;
            const Csr& contents = variant.type == ElementType::F64 ? *doubles : *matrix;
            auto plan = bindPlan(code.program->plan, {contents, variant}, options.limits);
            if (!plan)
                return;
            const auto inputs = makeInputs(contents, variant, 1, options.seed);
            ExecutionRequest request;
            request.plan = &*plan;
            request.module = &*code.module;
            request.inputs.push_back(denseInput(code.program->plan.task, inputs[0]));
            request.checks = Checks::Counters;
            request.stepBudget = profileSteps;
            request.resources = row.resources.empty() ? code.code.resources : row.resources;
            request.cancel = options.cancel;
            SimulatedDevice device;
            auto result = device.execute(request);
            if (!result || result->fault)
                return;
            row.profile = std::move(result->profile);
        });
    }
    return {};
}

} // namespace sparserl
