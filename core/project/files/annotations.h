// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A user's annotation. The source of truth is the project's annotations.jsonl; SQLite only holds a copy.
struct Annotation
{
    /// The annotated object: a run by name, a program by hash, a matrix by digest, a checkpoint by
    /// "RUN/NAME".
    enum class Target
    {
        Run,
        Program,
        Matrix,
        Checkpoint
    };
    enum class Field
    {
        Note,
        Tag,
        Star,
        Pin,
        Archive,
        Colour,
        Shown, ///< Overlaid on the charts of other runs.
        Sft    ///< In the project's SFT set (sft_set.h).
    };
    std::string id; ///< Created in addAnnotation.
    double t = 0;
    Target target = Target::Run;
    std::string key;
    Field field = Field::Note;
    std::string value; ///< Note: the text, empty removes it. Tag: the tag, "-tag" removes it. Colour: its
                       ///< number, empty for the run's default. Sft: TargetId::key() of the program's target,
                       ///< "-key" removes it. Others: "1" or "0".
};
std::string_view nameOf(Annotation::Target target);
std::string_view nameOf(Annotation::Field field);

/// Appends an annotation and returns its id. Safe for several processes.
Result<std::string> addAnnotation(const std::filesystem::path& project, Annotation annotation);
/// Reverts an annotation by appending an undo entry.
Status undoAnnotation(const std::filesystem::path& project, const std::string& id);
/// The effective annotations in order of creation, without undone ones.
Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path& project);

/// The combined annotations of one object.
struct AnnotationState
{
    std::string note;
    std::vector<std::string> tags;
    std::vector<std::string> sftTargets; ///< Keys of the targets for which a program is in the SFT set.
    bool starred = false, pinned = false, archived = false, shown = false;
    int colour = -1; ///< Negative: none chosen.
    bool operator==(const AnnotationState&) const = default;
};
/// Applies one annotation to the state.
void applyAnnotation(AnnotationState& state, const Annotation& annotation);

} // namespace sparserl
