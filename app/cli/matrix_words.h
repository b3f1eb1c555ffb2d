// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "matrix/matrix_list.h"
#include "project/files/project.h"

#include <string>
#include <vector>

namespace sparserl::cli {

/// What `--matrix` takes in every command that takes several.
constexpr const char* matrixHelp =
    "Matrix files, packs, PACK#NAME, generators or names of the project's matrices; may be repeated";

/// And in those that take one.
constexpr const char* oneMatrixHelp =
    "A matrix file, PACK#NAME, a generator or the name of one of the project's matrices";

/// A matrix that a word on the command line stands for, not read yet.
struct NamedMatrix
{
    std::string word; ///< What names it alone: the file, PACK#NAME, the generator or the project's name.
    std::string name; ///< For tables and records: the file's name, the name in the pack, the generator.
    bool isFile = false;
    bool isGenerated = false; ///< `word` is a generator's text.
    std::function<Result<Csr>(const ReadOptions&)> load;
};

/// What a word on the command line stands for: a file, a pack (all its matrices), PACK#NAME, a generator, or
/// the name of a matrix of the project that holds the current folder. Where it is none of these, the Error
/// says which name is near.
Result<std::vector<ListedMatrix>> listMatricesHere(const std::string& word);
/// The same, as commands want them that read one after the other.
Result<std::vector<NamedMatrix>> matricesOf(const std::string& word);
/// All matrices of all words; a word that names none is said, makes the status Failed and does not stop the
/// others.
std::vector<NamedMatrix> matricesOf(const Context& context, const std::vector<std::string>& words,
                                    int& status);
/// How every command reads what `word` names: progress and cancel of the context, and a note for each thing
/// that the file's format forbids.
ReadOptions readingOf(const Context& context, const std::string& word);
/// How a project takes in what was read so.
AddMatrixOptions addingOf(const ReadOptions& reading);
/// Says so on stderr.
void warn(const Context& context, const std::string& file, const MatrixWarning& warning);
/// The one matrix of a word; a pack with several is an Error that says how to name one.
Result<NamedMatrix> matrixOf(const std::string& word);

/// Reads one source after the other and hands on what came. One that cannot be read is said, makes the status
/// Failed and does not stop the others; the user's wish to end does (Interrupted). `read`: Source to Result;
/// `use`: source and value to whether to go on. False: it ended early, with this status.
template <typename Source, typename Read, typename Use>
bool readEach(const Context& context, const std::vector<Source>& sources, int& status, Read&& read, Use&& use)
{
    for (const Source& source : sources) {
        auto value = read(source);
        context.endProgress();
        if (!value) {
            status = context.failed(value.error());
            if (status == Interrupted)
                return false;
            continue;
        }
        if (context.cancel.cancelled()) {
            status = Interrupted;
            return false;
        }
        if (!use(source, std::move(*value)))
            return false;
    }
    return true;
}

} // namespace sparserl::cli
