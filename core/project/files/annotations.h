// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// What the user attached to something. Never only in SQLite: the truth is annotations.jsonl of the project.
struct Annotation
{
    /// What it is attached to: a run by name, a program by hash, a matrix by digest, a checkpoint by
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
        Shown, ///< Laid over the charts of other runs.
        Sft    ///< In the project's SFT set (sft_set.h).
    };
    std::string id; ///< Made by addAnnotation.
    double t = 0;
    Target target = Target::Run;
    std::string key;
    Field field = Field::Note;
    std::string value; ///< Note: the text, empty removes it. Tag: the tag, "-tag" removes it. Colour: its
                       ///< number, empty for the one that the run has by itself. Sft: TargetId::key() of what
                       ///< the program is for, "-key" removes it. Others: "1" or "0".
};
std::string_view nameOf(Annotation::Target target);
std::string_view nameOf(Annotation::Field field);

/// Appends and gives the id. Safe for several processes.
Result<std::string> addAnnotation(const std::filesystem::path& project, Annotation annotation);
/// Takes one back: appends an undo entry.
Status undoAnnotation(const std::filesystem::path& project, const std::string& id);
/// Those in force, in the order they were made; undone ones left out.
Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path& project);

/// What remains of them for one target.
struct AnnotationState
{
    std::string note;
    std::vector<std::string> tags;
    std::vector<std::string> sftTargets; ///< Keys of the targets for which a program is in the SFT set.
    bool starred = false, pinned = false, archived = false, shown = false;
    int colour = -1; ///< Negative: none was chosen.
    bool operator==(const AnnotationState&) const = default;
};
/// What one annotation makes of it.
void applyAnnotation(AnnotationState& state, const Annotation& annotation);

} // namespace sparserl
