// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A user's annotation. Annotations are stored in the project's annotations.jsonl; the index only holds a
/// copy.
struct Annotation
{
    /// The kind of the annotated object. `key` identifies the object: a run by its name, a program by its
    /// hash, a matrix by its digest, and a checkpoint by "RUN/NAME".
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
        Shown, ///< The run is drawn in the charts of other runs, too.
        Sft    ///< The program is in the project's SFT set (sft_set.h).
    };
    std::string id; ///< Created by addAnnotation().
    double t = 0;
    Target target = Target::Run;
    std::string key;
    Field field = Field::Note;
    std::string value; ///< Note: the text; empty removes the note. Tag: the tag; "-tag" removes it. Colour:
                       ///< the number of the colour; empty restores the default. Sft: TargetId::key() of the
                       ///< program's target; "-key" removes it. Other fields: "1" or "0".
};
std::string_view nameOf(Annotation::Target target);
std::string_view nameOf(Annotation::Field field);

/// Appends an annotation and returns its id. Several processes may do this at the same time.
Result<std::string> addAnnotation(const std::filesystem::path& project, Annotation annotation);
/// Reverts an annotation by appending an entry that undoes it.
Status undoAnnotation(const std::filesystem::path& project, const std::string& id);
/// Reads the annotations in order of creation. Those that were undone are left out.
Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path& project);

/// The combined annotations of one object.
struct AnnotationState
{
    std::string note;
    std::vector<std::string> tags;
    std::vector<std::string> sftTargets; ///< Keys of the targets for which the program is in the SFT set.
    bool starred = false, pinned = false, archived = false, shown = false;
    int colour = -1; ///< Negative: no colour was chosen.
    bool operator==(const AnnotationState&) const = default;
};
/// Applies one annotation to the state.
void applyAnnotation(AnnotationState& state, const Annotation& annotation);

} // namespace sparserl
