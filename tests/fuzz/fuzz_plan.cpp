// SPDX-License-Identifier: Apache-2.0
// Kernel programs: text rules, plan lines, and what the plan becomes on small matrices.
#include "fuzz.h"
#include "kernel/bind.h"
#include "kernel/plan.h"
#include "kernel/plan_key.h"
#include "kernel/text_rules.h"
#include "matrix/generate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkReason;

const std::vector<Csr>& matrices()
{
    static const std::vector<Csr> list = [] {
        std::vector<Csr> made;
        for (const char* text :
             {"random(rows=24,cols=19,mean=3,seed=1)", "stencil2d(n=5)", "lp(rows=40,seed=2)"}) {
            auto matrix = generate(text);
            if (matrix)
                made.push_back(std::move(*matrix));
        }
        made.push_back(Csr{3, 2, {0, 0, 0, 0}, {}, {}});
        made.emplace_back();
        return made;
    }();
    FUZZ_CHECK(list.size() == 5);
    return list;
}

void checkBuffers(const BoundPlan& bound, const Csr& matrix)
{
    const std::int64_t most = 8 * matrix.bytes() + (std::int64_t(64) << 20);
    std::int64_t scratch = 0;
    for (const BoundBuffer& buffer : bound.buffers) {
        FUZZ_CHECK(bound.find(buffer.name) == &buffer - bound.buffers.data());
        FUZZ_CHECK(buffer.count >= 0);
        if (buffer.role == BufferRole::Matrix)
            FUZZ_CHECK(static_cast<std::int64_t>(buffer.data.size()) == buffer.bytes());
        else
            FUZZ_CHECK(buffer.data.empty());
        if (buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Prepared)
            scratch += buffer.bytes();
    }
    FUZZ_CHECK(scratch <= most && bound.setupBytes >= 0 && bound.setupBytes <= most);
}

void checkCall(const BoundPlan& bound, const BoundCall& call, const DeviceLimits& limits)
{
    FUZZ_CHECK(!call.kernel.empty() && call.line > 0);
    FUZZ_CHECK(call.skipped == (std::count(call.grid.begin(), call.grid.end(), 0) > 0));
    for (const BoundArgument& argument : call.arguments) {
        if (const auto* buffer = std::get_if<BufferRef>(&argument))
            FUZZ_CHECK(buffer->index >= 0 && static_cast<std::size_t>(buffer->index) < bound.buffers.size());
        else if (const auto* real = std::get_if<float>(&argument))
            FUZZ_CHECK(std::isfinite(*real));
        else if (const auto* integer = std::get_if<std::int64_t>(&argument))
            FUZZ_CHECK(*integer >= 0);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        FUZZ_CHECK(call.block[i] > 0 && call.grid[i] >= 0);
        FUZZ_CHECK(call.skipped ||
                   (call.block[i] <= limits.maxBlock[i] && call.grid[i] <= limits.maxGrid[i]));
    }
    FUZZ_CHECK(call.skipped || call.block[0] * call.block[1] * call.block[2] <= limits.maxThreadsPerBlock);
    FUZZ_CHECK(call.skipped || call.dynamicSharedBytes <= limits.maxSharedOptinBytes);
}

/// What names of an operator become: every failure is a reason.
void checkOperatorBinding(const Plan& plan, int lines)
{
    OperatorSignature signature;
    signature.tensors = {{"x", TensorRole::Input, ElementType::F32, {3, 5}},
                         {"fc.0.weight", TensorRole::Input, ElementType::F32, {5}},
                         {"out", TensorRole::Output, ElementType::F32, {}}};
    const Contents contents{nullptr, {}, std::make_shared<const OperatorSignature>(signature)};
    const auto bound = bindPlan(plan, contents, TargetVariant::of(Task::Operator, 1), DeviceLimits());
    if (!bound) {
        checkReason(bound.error().reason);
        FUZZ_CHECK(bound.error().line >= 0 && bound.error().line <= lines);
        return;
    }
    for (const BoundCall& call : bound->launches)
        checkCall(*bound, call, DeviceLimits());
}

void checkBinding(const Plan& plan, int lines)
{
    if (plan.task == Task::Operator)
        return checkOperatorBinding(plan, lines);
    const DeviceLimits limits;
    for (const Csr& matrix : matrices()) {
        const auto bound = bindPlan(plan, {matrix, {plan.task == Task::SpMM ? 8 : 1}}, limits);
        if (!bound) {
            checkReason(bound.error().reason);
            FUZZ_CHECK(bound.error().line > 0 && bound.error().line <= lines);
            continue;
        }
        checkBuffers(*bound, matrix);
        FUZZ_CHECK(bound->prepares.size() + bound->launches.size() == plan.calls.size());
        for (const BoundCall& call : bound->prepares)
            checkCall(*bound, call, limits);
        for (const BoundCall& call : bound->launches)
            checkCall(*bound, call, limits);
    }
}

/// The plan says the same wherever its lines stand and however they end.
void checkLayout(const KernelProgram& program)
{
    const std::string& written = program.text.text();
    const std::string key = planKey(program.plan);
    if (written.size() < maxProgramBytes) {
        const auto lower = parseProgram("\n" + written);
        FUZZ_CHECK(lower.has_value() && planKey(lower->plan) == key && lower->code == "\n" + program.code);
    }
    if (written.find('\r') != std::string::npos)
        return;
    std::string text;
    for (const char c : written)
        text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    if (text.size() <= maxProgramBytes) {
        const auto dos = parseProgram(text);
        FUZZ_CHECK(dos.has_value() && planKey(dos->plan) == key && dos->code == program.code);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(fuzz::textOf(data, size));
    const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    const auto program = parseProgram(text);
    if (!program) {
        checkReason(program.error().reason);
        FUZZ_CHECK(program.error().line > 0 && program.error().line <= lines);
        return 0;
    }
    FUZZ_CHECK(program->text == text && program->text.hash().size() == 64);
    FUZZ_CHECK(std::count(program->code.begin(), program->code.end(), '\n') + 1 == lines);
    FUZZ_CHECK(constValues(program->plan).size() == program->plan.consts.size());
    FUZZ_CHECK(program->plan.calls.size() <= 16);
    checkLayout(*program);
    checkBinding(program->plan, lines);
    return 0;
}
