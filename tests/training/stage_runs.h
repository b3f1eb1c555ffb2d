// SPDX-License-Identifier: Apache-2.0
// Whole stages with a tiny policy: how they are set up, and how two runs are compared.
#pragma once

#include "matrix/generate.h"
#include "policy/policy/policy.h"
#include "project/run/metrics.h"
#include "training/work/stage.h"

#include <QtTest>

#include <cmath>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>

namespace sparserl::test {

namespace fs = std::filesystem;

inline std::vector<StageTarget> someMatrices()
{
    std::vector<StageTarget> matrices;
    const auto add = [&](const char* text, bool heldOut) {
        auto csr = std::make_shared<const Csr>(*generate(text));
        matrices.push_back({{{.contents = digest(*csr), .name = text}, csr}, heldOut});
    };
    add("stencil2d(n=8,points=5)", false);
    add("banded(n=60,band=2,fill=1)", false);
    add("random(rows=50,cols=40,mean=4)", true);
    return matrices;
}

/// Of a stage that makes a policy: one that is tiny, learning often enough to be interrupted.
inline ParameterSet tinyPolicy(StageKind kind)
{
    ParameterSet p(stageParameters(kind));
    for (const char* assignment :
         {"threads=1", "policy.d_model=32", "policy.d_kv=8", "policy.d_ff=32", "policy.encoder_layers=1",
          "policy.decoder_layers=1", "policy.heads=2", "policy.max_entries=12", "tokenizer.vocabulary=420",
          "system.every=0", "policy.max_tokens=250", "checkpoint.every=2", "eval.every=3",
          "checkpoint.keep=2"}) {
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    return p;
}

inline ParameterSet tinySft()
{
    ParameterSet p = tinyPolicy(StageKind::Sft);
    for (const char* assignment :
         {"sft.programs_per_matrix=4", "sft.heldout_programs=2", "sft.families=S1,S10", "sft.max_bytes=640",
          "sft.variety=0.4", "sft.steps=6", "sft.batch=6", "sft.lr=0.005", "sft.contrast=0.5",
          "sft.contrast_margin=0", "sft.warmup=1", "eval.samples=2"}) {
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    return p;
}

inline ParameterSet with(ParameterSet p, std::initializer_list<const char*> assignments)
{
    for (const char* assignment : assignments) {
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    return p;
}

inline ParameterSet tinyRl(const char* algorithm = "ppo")
{
    ParameterSet p(stageParameters(StageKind::Rl));
    for (const char* assignment :
         {"threads=1", "rl.iterations=4", "rl.matrices=2", "rl.samples=3", "rl.minibatch=4", "rl.epochs=2",
          "rl.lr=0.0005", "rl.value_pretrain=1", "rl.value_epochs=1", "eval.every=2", "eval.samples=2",
          "checkpoint.every=2", "rl.max_tokens=160", "system.every=0"}) {
        if (auto status = p.setAssignment(assignment); !status)
            qFatal("%s", status.error().sentence().c_str());
    }
    if (auto status = p.setText("rl.algorithm", algorithm); !status)
        qFatal("%s", status.error().sentence().c_str());
    return p;
}

inline StageEnvironment environmentWith(Judge& judge, const fs::path& parent = {})
{
    StageEnvironment environment;
    environment.matrices = someMatrices();
    environment.judge = &judge;
    environment.parent = parent;
    return environment;
}

inline RunDirectory newRun(const fs::path& path, StageKind kind, const ParameterSet& parameters)
{
    fs::remove_all(path);
    auto run = RunDirectory::create(path, stageRunConfig(kind, parameters));
    if (!run)
        qFatal("%s", run.error().sentence().c_str());
    return std::move(*run);
}

inline StageOutcome must(Result<StageOutcome> outcome)
{
    if (!outcome)
        qFatal("%s", outcome.error().sentence().c_str());
    return *outcome;
}

/// Metrics by (split, step, name), without those that measure the machine.
inline std::map<std::string, double> metricsOf(const fs::path& run)
{
    std::map<std::string, double> all;
    const auto entries = readWholeJournal(run);
    if (!entries)
        qFatal("%s", entries.error().sentence().c_str());
    for (const auto& entry : *entries) {
        const auto* metric = std::get_if<MetricEvent>(&entry.event);
        if (metric == nullptr || metric->split == systemSplit)
            continue;
        for (const auto& [name, value] : metric->values) {
            if (name.starts_with("timing") || name.starts_with("perf/time") ||
                name.starts_with("perf/throughput") || name.starts_with("judge/"))
                continue;
            const auto key = metric->split + " " + std::to_string(entry.step) + " " + name;
            if (all.contains(key))
                qFatal("metric twice: %s", key.c_str());
            all[key] = value;
        }
    }
    return all;
}

inline void compareRuns(const fs::path& a, const fs::path& b)
{
    const auto policyA = Policy::load(*findPolicy(a)), policyB = Policy::load(*findPolicy(b));
    QVERIFY(policyA && policyB);
    QCOMPARE(policyA->digest(), policyB->digest());
    const auto metricsA = metricsOf(a), metricsB = metricsOf(b);
    QVERIFY(metricsA.size() > 20);
    QCOMPARE(metricsA.size(), metricsB.size());
    for (const auto& [name, value] : metricsA) {
        QVERIFY2(metricsB.contains(name), name.c_str());
        const double other = metricsB.at(name);
        QVERIFY2(value == other || (std::isnan(value) && std::isnan(other)), name.c_str());
    }
}

/// Runs a stage to its end with an interruption after 8, 13, 18, ... events each time: in sampling, judging,
/// evaluation and between. How often that was.
inline int runInterrupted(RunDirectory& run, Judge& judge, const fs::path& parent,
                          const std::function<void(StageEnvironment&)>& prepare = {})
{
    for (int interruptions = 0; interruptions < 40; ++interruptions) {
        auto environment = environmentWith(judge, parent);
        if (prepare)
            prepare(environment);
        int events = 0;
        environment.onEvent = [&](std::int64_t, const Event&) {
            if (++events == 8 + 5 * interruptions)
                environment.cancel.cancel();
        };
        if (must(runStage(run, environment)).end == StageOutcome::End::Done)
            return interruptions;
    }
    qFatal("the stage does not come to its end");
}

} // namespace sparserl::test
