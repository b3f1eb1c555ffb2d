// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/hash.h"
#include "base/rng.h"
#include "project/files/project.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/run/run_directory.h"

#include <QtGlobal>
#include <fmt/format.h>
#include <fstream>

namespace fixture {

using namespace sparserl;

template <typename T>
T must(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().sentence().c_str());
    return std::move(*result);
}

inline void mustDo(const Status& status)
{
    if (!status)
        qFatal("%s", status.error().sentence().c_str());
}

/// Appends bytes as a crashed writer would leave them.
inline void tear(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::app | std::ios::binary) << bytes;
}

inline RunConfig config(const std::string& stage, const std::string& title = {})
{
    RunConfig config;
    config.stage = stage;
    config.title = title;
    config.preset = "sparserl-ppo";
    config.parameters = {{"algorithm", std::string("ppo")}, {"lr", 1e-5}};
    return config;
}

inline VerdictRecord record(const std::string& program, const std::string& matrix, Verdict verdict,
                            double micros)
{
    VerdictRecord record;
    record.programHash = program;
    record.target.contents = matrix;
    record.target.name = "name of " + matrix;
    record.device = "simulated h200";
    record.verdict = verdict;
    record.baselineMicroseconds = 10;
    record.baselineName = "reference CSR";
    if (verdict == Verdict::Correct) {
        record.warm = Timing{micros, micros * 0.9, micros * 1.1, 9};
        if (micros > 10)
            record.flags = {VerdictFlag::SlowerThanBaseline};
    } else {
        record.message = "wrong in row 3";
        record.line = 7;
    }
    record.lines = {{7, 10, 320, 40, 4, 3, 2, 1, 0, 5}};
    return record;
}

/// One step of a made-up run: metrics on both splits, `samples` candidates with programs and verdicts.
inline void writeStep(JournalWriter& journal, std::int64_t step, std::uint64_t seed, int samples)
{
    Rng rng = Rng(seed).derive(static_cast<std::uint64_t>(step));
    mustDo(
        journal.append(step, MetricEvent{"train",
                                         {{"critic/rewards/mean", rng.normal()},
                                          {"actor/ppo_kl", rng.uniform()},
                                          {"actor/entropy", step % 7 == 3 ? std::nan("") : rng.uniform()}}}));
    if (step % 5 == 0)
        mustDo(journal.append(step, MetricEvent{"held-out", {{"critic/rewards/mean", rng.normal()}}}));
    for (int i = 0; i < samples; ++i) {
        const auto number = rng.below(40); // programs come again
        const std::string text = fmt::format("//! task spmv\n// program {} 100% of_it\nint main;\n", number);
        const std::string hash = sha256Hex(text);
        const std::string matrix = fmt::format("m{}", rng.below(3));
        const int kind = static_cast<int>(number % 4);
        const Verdict verdict = kind == 0   ? Verdict::CompileError
                                : kind == 1 ? Verdict::WrongResult
                                            : Verdict::Correct;
        mustDo(journal.appendProgram(step, hash, text));
        const bool verdictFirst = rng.chance(0.3);
        if (verdictFirst)
            mustDo(journal.append(step, VerdictEvent{record(hash, matrix, verdict, 2.0 + double(number))}));
        SampleEvent sample;
        sample.programHash = hash;
        sample.target.contents = matrix;
        sample.target.name = "name of " + matrix;
        sample.family = kind == 2 ? "S3" : kind == 3 ? "S4" : "";
        sample.split = rng.chance(0.2) ? "held-out" : "train";
        sample.reward = rng.chance(0.1) ? std::nan("") : rng.normal();
        sample.tokens = static_cast<std::int64_t>(20 + rng.below(200));
        sample.rewardParts = {{"compile", 0.5}, {"test", 0.25}};
        mustDo(journal.append(step, sample));
        if (!verdictFirst && !rng.chance(0.1))
            mustDo(journal.append(step, VerdictEvent{record(hash, matrix, verdict, 2.0 + double(number))}));
    }
}

inline void writeCheckpoint(RunDirectory& run, JournalWriter& journal, std::int64_t step)
{
    auto pending = must(run.beginCheckpoint(step));
    mustDo(writeFileAtomic(pending.directory() / "weights", std::to_string(step)));
    must(pending.commit(journal));
}

} // namespace fixture
