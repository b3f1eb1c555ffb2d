// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "base/result.h"
#include "search/search.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The result of a search for a target that is finished.
struct SearchedTarget
{
    std::string target;    ///< TargetId::key()
    std::string record;    ///< Hash of the fastest program; empty if no program is correct.
    double speedup = 0;    ///< Speed-up of the record over the baseline; 0: no record.
    double recordGain = 0; ///< Confirmed speed-up over the best program of `bench`; 0: no record.
};

/// The state of a search in state.json of a checkpoint, in addition to the state common to all stages. The
/// programs are not part of it, because they are in the journal.
struct SearchStageState
{
    std::vector<SearchedTarget> done;  ///< In the order of the search.
    std::int64_t begin = 0;            ///< Step at which the current or next target begins.
    std::int64_t judged = 0;           ///< Number of judged programs, for all targets together.
    std::int64_t records = 0;          ///< Number of programs that were the fastest when they were found.
    std::string target;                ///< The target of `search`.
    std::optional<SearchState> search; ///< nullopt between two targets.
};

template <>
struct Fields<Bandit::Sums>
{
    static void of(auto& e, auto& field)
    {
        field("rewards", e.rewards, requiredField());
        field("tries", e.tries, requiredField());
    }
};

template <>
struct Fields<SearchState>
{
    static void of(auto& e, auto& field)
    {
        field("rng", e.rng, requiredField());
        field("generations", e.generations, requiredField());
        field("seconds", e.seconds);
        field("proposed", e.proposed);
        field("repeated", e.repeated);
        field("refused", e.refused);
        field("positions", e.positions);
        field("tries", e.tries);
    }
};

template <>
struct Fields<SearchedTarget>
{
    static void of(auto& e, auto& field)
    {
        field("target", e.target, requiredField());
        field("record", e.record);
        field("speedup", e.speedup);
        field("record_gain", e.recordGain);
    }
};

template <>
struct Fields<SearchStageState>
{
    static void of(auto& e, auto& field)
    {
        field("done", e.done, requiredField());
        field("begin", e.begin, requiredField());
        field("judged", e.judged);
        field("records", e.records);
        field("target", e.target);
        field("search", e.search);
    }
};

inline nlohmann::json toJson(const SearchStageState& state)
{
    return writeFields(state);
}

/// Fails if the JSON is not the state of a search.
inline Result<SearchStageState> searchStateFrom(const nlohmann::json& json)
{
    SearchStageState state;
    try {
        readFields(json, state, readRecord);
    } catch (const nlohmann::json::exception& error) {
        return fail(std::string("the state of the search cannot be read: ") + error.what(),
                    "Start the search again, or resume it from an earlier checkpoint");
    }
    return state;
}

} // namespace sparserl
