// SPDX-License-Identifier: Apache-2.0
#include "corpus/corpus.h"
#include "evaluation/audit/gpu_check.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

std::string counted(const RoleSandbox& one)
{
    if (one.refused.empty())
        return "no call of it was refused";
    std::string text;
    for (const auto& [call, times] : one.refused)
        text += fmt::format("{}{} ({})", text.empty() ? "refused were " : ", ", call, times);
    return text;
}

} // namespace

bool checkLocked(const std::filesystem::path& runner, int ordinal, const CancelToken& cancel,
                 const TellLine& tell)
{
    JudgeOptions options;
    options.runnerPath = runner;
    options.gpus = {ordinal};
    options.compileRunners = options.simRunners = 1;
    options.gpuInTurn = true;
    options.countRefusedCalls = true;
    options.log = [&](std::string_view sentence) { tell("  " + std::string(sentence)); };
    const auto judge = makeCudaJudge(options);
    if (!judge) {
        tell("FAILED locked processes: " + judge.error().sentence());
        return false;
    }
    bool good = true;
    for (const Task task : {Task::SpMV, Task::SpMM}) {
        const auto matrix = generate(std::string_view("random(rows=3000,cols=3000)"));
        if (!matrix) {
            tell("FAILED locked processes: " + matrix.error().sentence());
            return false;
        }
        JudgeRequest request;
        request.program = referenceProgram(task).text;
        request.target = {
            {.contents = digest(*matrix), .name = "random", .variant = TargetVariant::of(task, 8)},
            std::make_shared<const Csr>(*matrix)};
        const auto records = (*judge)->judge({request}, cancel);
        const bool correct = records && records->at(0).correct();
        good = good && correct;
        tell(fmt::format(
            "{} the reference program of {} in locked processes: {}", correct ? "ok    " : "FAILED",
            nameOf(task),
            !records ? records.error().sentence()
            : records->at(0).warm
                ? fmt::format("{}, {:.2f} us", nameOf(records->at(0).verdict), records->at(0).warm->median)
                : std::string(nameOf(records->at(0).verdict)) + " " + records->at(0).message));
    }
    for (const RoleSandbox& one : (*judge)->sandboxes())
        tell(fmt::format("{} {} is locked at level {}; {}",
                         one.level == SandboxLevel::Full ? "ok    " : "note  ", one.role, one.words(),
                         counted(one)));
    return good;
}

} // namespace sparserl
