// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/gpu_check.h"

#include "base/time.h"
#include "corpus/corpus.h"
#include "device/calibration/parallel.h"
#include "device/float32.h"
#include "evaluation/bench/own_programs.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"
#include "matrix/generate.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace sparserl {

namespace {

struct Checked
{
    std::string problem; ///< Empty: all is well.
    std::string text;    ///< Figures.
};

/// Executes and measures one program on one matrix and compares both with the oracle.
Checked checkProgram(CudaDevice& device, OwnPrograms& programs, const std::string& text, const Csr& matrix,
                     std::int64_t columns, bool counters = false)
{
    const auto compiled = programs.get(text);
    if (!compiled)
        return {"does not compile: " + compiled.error().sentence(), {}};
    const auto plan =
        bindPlan((*compiled)->program.plan, {matrix, {columns, matrix.type}}, device.info().limits());
    if (!plan)
        return plan.error().kind == BindFailure::Kind::FormatError
                   ? Checked{{}, "does not apply: " + plan.error().reason}
                   : Checked{"does not bind: " + plan.error().reason, {}};
    Rng rng(1);
    std::vector<Numbers> inputs;
    inputs.reserve(2);
    for (int i = 0; i < 2; ++i)
        inputs.push_back(plainVector(matrix.type, std::int64_t(matrix.cols) * columns, rng));
    const Task task = (*compiled)->program.plan.task;
    ExecutionRequest execution;
    execution.plan = &*plan;
    execution.module = &(*compiled)->module;
    execution.cubin = (*compiled)->compiled.cubin;
    execution.seed = 11;
    for (const auto& input : inputs)
        execution.inputs.push_back(denseInput(task, input));
    const auto run = device.execute(execution);
    if (!run)
        return {"execute: " + run.error().sentence(), {}};
    if (run->fault)
        return {"execute: " + run->fault->message, {}};
    std::vector<Reference> right;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        right.push_back(reference(matrix, inputs[i], columns));
        if (const auto wrong =
                firstWrong(denseOutput(task, matrix.type, run->outputs[i]), right[i], Tolerance::Flushed))
            return {
                fmt::format("execute: row {} is {}, should be {}", wrong->row, wrong->got, wrong->expected),
                {}};
    }
    MeasureRequest request;
    request.plan = &*plan;
    request.module = &(*compiled)->module;
    request.cubin = (*compiled)->compiled.cubin;
    request.seed = 12;
    request.counters = counters;
    request.compare = CompareRequest{std::make_shared<const Csr>(matrix), columns,
                                     underflowOf((*compiled)->compiled.traits.flushes, matrix.type)};
    for (const auto& input : inputs)
        request.ring.push_back(denseInput(task, input));
    const auto timing = device.measure(request);
    if (!timing)
        return {"measure: " + timing.error().sentence(), {}};
    if (timing->fault)
        return {"measure: " + timing->fault->message, {}};
    if (const auto& wrong = timing->compared.wrong)
        return {fmt::format("measure: row {} is {}, should be {}", wrong->row, wrong->got, wrong->expected),
                {}};
    if (timing->compared.calls == 0)
        return {"measure: no call was compared", {}};
    Checked checked;
    if (request.counters)
        checked.text =
            timing->counters
                ? fmt::format("DRAM {:.0f} B, L2 {:.0f} B, hits L2 {:.2f} L1 {:.2f}, {:.0f} instructions, "
                              "occupancy {:.2f}; ",
                              timing->counters->dramBytes, timing->counters->l2Bytes,
                              timing->counters->l2HitRate, timing->counters->l1HitRate,
                              timing->counters->instructions, timing->counters->achievedOccupancy)
                : "no counters: " + timing->countersMissing + "; ";
    const Occupancy& occupancy = timing->occupancy.front();
    checked.text += fmt::format(
        "warm {:8.2f} us [{:.2f}, {:.2f}] n {}  cold {:8.2f} us [{:.2f}, {:.2f}]  wall {:8.2f}  "
        "setup {:7.2f}  occupancy {:3.0f} % ({} blocks, {})  took {:.1f} ms (load {:.1f}, first {:.1f}, warm "
        "{:.1f}, cold {:.1f}, checks {:.1f})",
        timing->warm.median, timing->warm.q25, timing->warm.q75, timing->warm.n, timing->cold->median,
        timing->cold->q25, timing->cold->q75, timing->wallMicroseconds, timing->setupMicroseconds,
        100 * occupancy.fraction, occupancy.blocksPerSm, occupancy.limiter,
        1e3 * (timing->measuringSeconds + timing->phases.load), 1e3 * timing->phases.load,
        1e3 * timing->phases.first, 1e3 * timing->phases.warm, 1e3 * timing->phases.cold,
        1e3 * timing->phases.checks);
    if (!timing->clocksAgree)
        checked.problem = "the events and the host's clock disagree";
    else if (!(timing->warm.median > 0) || !(timing->cold->median > 0))
        checked.problem = "a time that is not above 0";
    return checked;
}

/// Compiles the plain program of every family on all cores, so that the GPU need not wait for each.
void compileAll(OwnPrograms& programs)
{
    std::vector<std::string> texts;
    for (const auto& [task, type] : {std::pair{Task::SpMV, ElementType::F32},
                                     {Task::SpMV, ElementType::F64},
                                     {Task::SpMM, ElementType::F32},
                                     {Task::SpMM, ElementType::F64}}) {
        for (const Family& family : families(task)) {
            if (auto program = derive(family.id, {}, {}, true, type))
                texts.push_back(std::move(program->text));
        }
    }
    const auto threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
    parallelFor(texts.size(), threads, [&](std::size_t i) {
        (void)programs.get(texts[i]); // what does not compile is said later
    });
}

void show(const TellLine& tell, bool& good, const std::string& what, const Checked& checked)
{
    good = good && checked.problem.empty();
    const std::string verdict = checked.problem.empty() ? "ok" : "FAILED";
    tell(fmt::format("{:<6} {:<34} {}{}{}", verdict, what, checked.problem,
                     checked.problem.empty() || checked.text.empty() ? "" : "; ", checked.text));
}

void checkBaselines(const TellLine& tell, CudaDevice& device, bool& good, const std::string& name,
                    const Csr& matrix, std::int64_t columns)
{
    BaselineOptions options;
    options.set = BaselineSet::AllFormats;
    options.log = [&](std::string_view sentence) { tell(fmt::format("note   {}", sentence)); };
    const double begin = monotonicSeconds();
    const auto timings = device.measureBaselines(matrix, columns, options);
    if (!timings) {
        show(tell, good, "baselines on " + name, {timings.error().sentence(), {}});
        return;
    }
    tell(fmt::format("ok     baselines on {} took {:.0f} ms:", name, 1e3 * (monotonicSeconds() - begin)));
    for (const BaselineTiming& t : *timings) {
        tell(fmt::format(
            "         {:<16} {:<40} warm {:8.2f} us [{:.2f}, {:.2f}] n {}  cold {}  preprocess {:.1f} us",
            t.library, t.algorithm, t.warm.median, t.warm.q25, t.warm.q75, t.warm.n,
            t.cold ? fmt::format("{:8.2f}", t.cold->median) : "-", t.setupMicroseconds));
    }
}

void checkHeadToHead(const TellLine& tell, CudaDevice& device, OwnPrograms& programs, bool& good,
                     const Csr& matrix)
{
    const auto compiled = programs.get(referenceProgram(Task::SpMV, matrix.type).text);
    if (!compiled)
        return show(tell, good, "ABAB", {compiled.error().sentence(), {}});
    const auto plan = bindPlan((*compiled)->program.plan, {matrix, {.columns = 1, .type = matrix.type}},
                               device.info().limits());
    if (!plan)
        return show(tell, good, "ABAB", {plan.error().reason, {}});
    Rng rng(1);
    const Numbers x = plainVector(matrix.type, matrix.cols, rng);
    MeasureRequest request;
    request.plan = &*plan;
    request.module = &(*compiled)->module;
    request.cubin = (*compiled)->compiled.cubin;
    request.ring = {denseInput(Task::SpMV, x)};
    BaselineTiming against;
    against.algorithm = "CSR_ALG2, preprocessed";
    const auto both = device.headToHead(request, matrix, 1, against);
    if (!both)
        return show(tell, good, "ABAB", {both.error().sentence(), {}});
    if (both->fault)
        return show(tell, good, "ABAB", {both->fault->message, {}});
    show(tell, good, "ABAB, reference against CSR_ALG2",
         {{},
          fmt::format("{:.2f} us against {:.2f} us: {:.3f}x [{:.3f}, {:.3f}] n {}", both->program.median,
                      both->baseline.median, both->speedup.median, both->speedup.q25, both->speedup.q75,
                      both->speedup.n)});
}

} // namespace

bool checkPrograms(CudaDevice& device, const CancelToken& cancel, const TellLine& tell)
{
    bool good = true;
    auto programs = OwnPrograms::create(device.info().architecture());
    if (!programs) {
        show(tell, good, "compiler", {programs.error().sentence(), {}});
        return false;
    }
    compileAll(**programs);
    struct Case
    {
        const char* generator;
        std::int64_t columns;
        ElementType type = ElementType::F32;
    };
    for (const Case& one : {Case{"random(rows=3001,cols=2999)", 1}, Case{"stencil2d(n=300)", 1},
                            Case{"random(rows=1500,cols=1700)", 8}, Case{"random(rows=1500,cols=1700)", 32},
                            Case{"random(rows=3001,cols=2999)", 1, ElementType::F64},
                            Case{"random(rows=1500,cols=1700)", 32, ElementType::F64}}) {
        auto matrix = generate(std::string_view(one.generator));
        if (!matrix) {
            show(tell, good, one.generator, {matrix.error().sentence(), {}});
            continue;
        }
        *matrix = inType(*matrix, one.type);
        tell(fmt::format("{} with {} non-zeros, {} column{}, {}", one.generator, matrix->nnz(), one.columns,
                         one.columns == 1 ? "" : "s", nameOf(one.type)));
        const Task task = one.columns > 1 ? Task::SpMM : Task::SpMV;
        for (const Family& family : families(task)) {
            const auto program = derive(family.id, {}, {}, true, one.type);
            if (!program) {
                show(tell, good, family.id, {program.error().sentence(), {}});
                continue;
            }
            show(tell, good, fmt::format("{} {}", family.id, family.name),
                 checkProgram(device, **programs, program->text, *matrix, one.columns));
            if (device.poisoned() || cancel.cancelled())
                return false;
        }
        checkBaselines(tell, device, good, one.generator, *matrix, one.columns);
        if (device.poisoned())
            return false;
        if (one.columns == 1)
            checkHeadToHead(tell, device, **programs, good, *matrix);
    }
    // Half full: the dense routine belongs to the baselines too.
    const std::string_view halfFull = "pruned(rows=512,cols=384,sparsity=0.4)";
    const auto dense = generate(halfFull);
    if (!dense) {
        show(tell, good, std::string(halfFull), {dense.error().sentence(), {}});
        return false;
    }
    for (const std::int64_t columns : {1, 8})
        checkBaselines(tell, device, good, std::string(halfFull), *dense, columns);
    return good && !device.poisoned();
}

std::string countOnce(CudaDevice& device)
{
    const auto programs = OwnPrograms::create(device.info().architecture());
    if (!programs)
        return programs.error().sentence();
    const auto matrix = generate(std::string_view("random(rows=30000,cols=30000)"));
    if (!matrix)
        return matrix.error().sentence();
    const Checked checked =
        checkProgram(device, **programs, referenceProgram(Task::SpMV).text, *matrix, 1, true);
    return checked.problem.empty() ? "counters: " + checked.text : checked.problem;
}

} // namespace sparserl
