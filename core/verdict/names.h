// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Words of journals, of the index and of project.toml. Texts rather than enumerations: what an old or a
/// newer file says is kept as it is.
namespace sparserl {

/// The two halves of a project's matrices.
namespace split {
inline constexpr const char* train = "train";      ///< The policy learns on it.
inline constexpr const char* heldOut = "held-out"; ///< It only judges.
inline const char* of(bool isHeldOut)
{
    return isHeldOut ? heldOut : train;
}
inline bool known(std::string_view name)
{
    return name == train || name == heldOut;
}
} // namespace split

/// What an evaluation's best programs are also compared with, besides the baseline.
namespace reference {
inline constexpr const char* defaultRoutine = "default_routine"; ///< cuSPARSE's DEFAULT algorithm.
inline constexpr const char* bestRoutine = "best_routine";       ///< Its best CSR routine.
inline constexpr const char* bestOfCorpus = "best_of_corpus";    ///< The fastest corpus program known.
} // namespace reference

/// Who said how long a program takes that was not measured.
namespace predicted_from {
inline constexpr const char* model = "model";            ///< Learned from the run's measurements.
inline constexpr const char* similar = "similar matrix"; ///< Its speed-up there was taken over.
} // namespace predicted_from

/// Where a sampled program comes from.
namespace sample_origin {
inline constexpr const char* policy = "policy";
inline constexpr const char* corpus = "corpus"; ///< Data of supervised fine-tuning.
inline constexpr const char* chosen = "chosen"; ///< The same, of the project's SFT set.
inline constexpr const char* found = "found";   ///< The same, of the project's searches.
inline constexpr const char* evaluation = "evaluation";
inline constexpr const char* search = "search";
inline constexpr const char* hand = "hand";           ///< Outside of runs: a copy that was edited.
inline constexpr const char* generated = "generated"; ///< Outside of runs: a policy was asked for programs.
} // namespace sample_origin

/// What became of a command to a run.
namespace control_outcome {
inline constexpr const char* accepted = "accepted"; ///< Takes effect at a later step.
inline constexpr const char* applied = "applied";
inline constexpr const char* refused = "refused";
/// Nothing more is going to be said of the command.
inline bool final(std::string_view outcome)
{
    return outcome == applied || outcome == refused;
}
} // namespace control_outcome

} // namespace sparserl
