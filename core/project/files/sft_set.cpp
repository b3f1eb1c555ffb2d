// SPDX-License-Identifier: Apache-2.0
#include "project/files/sft_set.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "project/files/annotations.h"

#include <map>

namespace sparserl {

namespace {

constexpr std::size_t mostBytes = 1u << 20; ///< That a program's text can have.

std::filesystem::path fileOf(const std::filesystem::path& project, const std::string& hash)
{
    return project / "sft_set" / (fileNameFor(hash) + ".cu");
}

} // namespace

Result<std::string> keepForSft(const std::filesystem::path& project, const std::string& hash,
                               const std::string& text)
{
    if (sha256Hex(text) != hash)
        return fail("the text of program " + hash.substr(0, 12) + " is not what its hash says",
                    "Rebuild the index with `sparserl project reindex`");
    const auto file = fileOf(project, hash);
    if (const auto kept = readFile(file, mostBytes); kept && *kept == text)
        return hash; // else it is missing, or somebody changed it
    SPARSERL_CHECK(makeDirectories(file.parent_path()));
    SPARSERL_CHECK(writeFileAtomic(file, text));
    return hash;
}

Result<std::vector<ChosenProgram>> readSftSet(const std::filesystem::path& project)
{
    SPARSERL_TRY(const auto annotations, readAnnotations(project));
    std::map<std::string, AnnotationState> states;
    for (const Annotation& annotation : annotations)
        if (annotation.target == Annotation::Target::Program && annotation.field == Annotation::Field::Sft)
            applyAnnotation(states[annotation.key], annotation);
    std::vector<ChosenProgram> programs;
    for (auto& [hash, state] : states) {
        if (state.sftTargets.empty())
            continue;
        // The name of the file is the hash: what somebody changed is another program.
        auto text = readFile(fileOf(project, hash), mostBytes);
        const bool good = text && sha256Hex(*text) == hash;
        programs.push_back({hash, good ? std::move(*text) : std::string(), std::move(state.sftTargets)});
    }
    return programs;
}

} // namespace sparserl
