// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Words in journals, in the index and in project.toml. They are strings rather than enumerations, so that
/// words of older and newer files are preserved.
namespace sparserl {

/// The two splits of a project's matrices.
namespace split {
inline constexpr const char* train = "train";      ///< The policy learns on these matrices.
inline constexpr const char* heldOut = "held-out"; ///< Used only for evaluation.
inline const char* of(bool isHeldOut)
{
    return isHeldOut ? heldOut : train;
}
inline bool known(std::string_view name)
{
    return name == train || name == heldOut;
}
} // namespace split

/// Routines and programs with which the best programs of an evaluation are compared, besides the baseline.
namespace reference {
inline constexpr const char* defaultRoutine = "default_routine"; ///< cuSPARSE's DEFAULT algorithm.
inline constexpr const char* bestRoutine = "best_routine";       ///< cuSPARSE's best CSR routine.
inline constexpr const char* bestOfCorpus = "best_of_corpus";    ///< The fastest known corpus program.
} // namespace reference

/// The source of the predicted time of a program that was not measured.
namespace predicted_from {
inline constexpr const char* model = "model";            ///< Learned from the run's measurements.
inline constexpr const char* similar = "similar matrix"; ///< From the program's speed-up on a similar matrix.
} // namespace predicted_from

/// The origin of a sampled program.
namespace sample_origin {
inline constexpr const char* policy = "policy";
inline constexpr const char* corpus = "corpus"; ///< From the corpus, for supervised fine-tuning.
inline constexpr const char* chosen = "chosen"; ///< From the project's SFT set, for supervised fine-tuning.
inline constexpr const char* found = "found";   ///< From the project's searches, for supervised fine-tuning.
inline constexpr const char* evaluation = "evaluation";
inline constexpr const char* search = "search";
inline constexpr const char* hand = "hand";           ///< Outside a run: a copy that the user edited.
inline constexpr const char* generated = "generated"; ///< Outside a run: sampled from a policy on request.
} // namespace sample_origin

/// The outcome of a command to a run.
namespace control_outcome {
inline constexpr const char* accepted = "accepted"; ///< Takes effect at a later step.
inline constexpr const char* applied = "applied";
inline constexpr const char* refused = "refused";
/// Returns whether the outcome is final.
inline bool final(std::string_view outcome)
{
    return outcome == applied || outcome == refused;
}
} // namespace control_outcome

} // namespace sparserl
