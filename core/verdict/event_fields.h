// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "target/target_fields.h"
#include "verdict/event.h"

namespace sparserl {

// The fields of events (docs/formats.md 3). event.cpp handles ProgramEvent, which is compressed, and
// VerdictEvent, which is a record.

inline std::optional<RunState> enumFromName(std::string_view name, RunState)
{
    return runStateFromName(name);
}

template <>
struct Fields<StateEvent>
{
    static void of(auto& e, auto& field)
    {
        field("state", e.state);
        field("reason", e.reason, writtenIf(!e.reason.empty()));
        field("total_steps", e.totalSteps, writtenIf(e.totalSteps != 0));
    }
};

template <>
struct Fields<MetricEvent>
{
    static void of(auto& e, auto& field)
    {
        field("split", e.split);
        field("values", e.values);
    }
};

template <>
struct Fields<ProposalEdit>
{
    static void of(auto& e, auto& field)
    {
        field("kind", e.kind);
        field("words", e.words);
    }
};

template <>
struct Fields<ProposalOrigin>
{
    static void of(auto& e, auto& field)
    {
        field("number", e.number);
        field("source", e.source);
        field("corpus", e.corpus, writtenIf(!e.corpus.empty()));
        field("parents", e.parents, writtenIf(!e.parents.empty()));
        field("edits", e.edits, writtenIf(!e.edits.empty()));
        field("seconds", e.seconds);
        field("niche", e.niche);
        field("new", e.fresh);
        field("record", e.record, writtenIf(e.record));
    }
};

template <>
struct Fields<AdvantageRun>
{
    static void of(auto& e, auto& field)
    {
        field("bytes", e.bytes);
        field("advantage", e.advantage);
    }
};

template <>
struct Fields<SampleEvent>
{
    static void of(auto& e, auto& field)
    {
        field("program", e.programHash);
        Fields<TargetId>::of(e.target, field);
        field("origin", e.origin);
        field("split", e.split);
        field("family", e.family);
        field("log_prob", e.logProb);
        field("tokens", e.tokens);
        field("reward", e.reward);
        field("reward_parts", e.rewardParts);
        field("advantages", AsRow{e.advantages}, writtenIf(!e.advantages.empty()));
        field("truncated", e.truncated, writtenIf(e.truncated));
        field("proposal", e.proposal);
    }
};

template <>
struct Fields<EvaluationEvent>
{
    static void of(auto& e, auto& field)
    {
        field("policy", e.policy);
        Fields<TargetId>::of(e.target, field);
        field("split", e.split);
        field("nnz", e.nnz);
        field("samples", e.samples);
        field("compiled", e.compiled);
        field("correct", e.correct);
        field("faster", e.faster);
        field("best_us", e.bestMicroseconds);
        field("baseline_us", e.baselineMicroseconds);
        field("best_program", e.bestProgram);
        field("families", e.families);
        field("family_counts", e.familyCounts, writtenIf(!e.familyCounts.empty()));
        field("best_family", e.bestFamily, writtenIf(!e.bestFamily.empty()));
        field("mean_reward", e.meanReward);
        field("references", e.references, writtenIf(!e.references.empty()));
    }
};

template <>
struct Fields<ControlEvent>
{
    static void of(auto& e, auto& field)
    {
        field("id", e.id);
        field("command", e.command);
        field("key", e.key, writtenIf(!e.key.empty()));
        field("value", e.value, writtenIf(!e.key.empty()));
        field("outcome", e.outcome);
        field("message", e.message, writtenIf(!e.message.empty()));
        field("effective_step", e.effectiveStep);
    }
};

template <>
struct Fields<CheckpointEvent>
{
    static void of(auto& e, auto& field) { field("name", e.name); }
};

template <>
struct Fields<LogEvent>
{
    static void of(auto& e, auto& field)
    {
        field("level", e.level);
        field("text", e.text);
    }
};

} // namespace sparserl
