// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "matrix/matrix_list.h"
#include "project/files/project.h"

#include <string>
#include <vector>

namespace sparserl::cli {

/// Help for `--matrix` in every command that accepts several.
constexpr const char* matrixHelp = "Matrix files, packs, PACK#NAME, generators or names of the project's "
                                   "matrices; may be repeated or separated by commas";

/// The same in commands that accept only one matrix.
constexpr const char* oneMatrixHelp =
    "A matrix file, PACK#NAME, a generator or the name of one of the project's matrices";

/// A matrix named on the command line, before it is read.
struct NamedMatrix
{
    std::string word; ///< Unique name: the file, PACK#NAME, the generator or the project's name.
    std::string name; ///< For tables and records: the file's name, the name in the pack, the generator.
    bool isFile = false;
    bool isGenerated = false; ///< `word` is a generator's text.
    std::function<Result<Csr>(const ReadOptions&)> load;
};

/// The matrices for a command-line word: a file, a pack (all its matrices), PACK#NAME, a generator, or the
/// name of a matrix in the project around the current folder. For any other word, the Error suggests the
/// closest name.
Result<std::vector<ListedMatrix>> listMatricesHere(const std::string& word);
/// The same, for commands that read one matrix after the other.
Result<std::vector<NamedMatrix>> matricesOf(const std::string& word);
/// All matrices of all words, which may hold several names, separated by commas. If a name is invalid, the
/// command must not start: the Error is about every invalid name.
Result<std::vector<ListedMatrix>> listMatricesHere(const std::vector<std::string>& words);
Result<std::vector<NamedMatrix>> matricesOf(const std::vector<std::string>& words);
/// The names in these words: splitNames(). A file and a matrix of the project around the current folder may
/// have commas in their names.
std::vector<std::string> matrixNames(const std::vector<std::string>& words);
/// The options for reading `word` in every command: progress and cancellation from the context, and a note
/// for each violation of the file's format.
ReadOptions readingOf(const Context& context, const std::string& word);
/// The options for adding a matrix that is read with these options to a project.
AddMatrixOptions addingOf(const ReadOptions& reading);
/// Prints the warning on stderr.
void warn(const Context& context, const std::string& file, const MatrixWarning& warning);
/// The only matrix of a word. For a pack with several, the Error explains how to name one.
Result<NamedMatrix> matrixOf(const std::string& word);

/// The name of a matrix as a part of a file name. It has only characters that need no quotes.
std::string wordForFile(const std::string& matrix);

/// Reads sources in sequence and passes each value on. An unreadable source is reported and sets the status
/// to Failed; the remaining sources are still read. An interruption by the user stops the loop and sets the
/// status to Interrupted. `read`: returns the Result for a source. `use`: receives a source and its value,
/// and returns whether to continue. Returns false if the loop stopped early.
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
