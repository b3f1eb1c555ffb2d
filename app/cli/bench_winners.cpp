// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_winners.h"

#include "app/cli/export_program.h"
#include "app/cli/matrix_words.h"
#include "base/files.h"
#include "base/format.h"
#include "base/printable.h"
#include "target/family_names.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace sparserl::cli {

std::string whyItWon(const BenchMatrix& matrix)
{
    const BenchRow* best = matrix.bestProgram();
    if (best == nullptr)
        return {};
    const auto reason = matrix.reasons.find(best->family);
    std::string why = reason != matrix.reasons.end() && !reason->second.empty()
                          ? reason->second
                          : "fastest when measured; no feature of the matrix predicts it";
    if (const BenchRow* next = matrix.nextFamily())
        why +=
            fmt::format("; {:.2f}x as fast as the next family, {} ({:.2f} us)",
                        next->warm.median / best->warm.median, familyTitle(next->family), next->warm.median);
    return why;
}

BenchWinners::BenchWinners(std::filesystem::path programs, std::filesystem::path bundles)
    : m_programs(std::move(programs))
    , m_bundles(std::move(bundles))
{
}

Result<std::string> BenchWinners::keep(const BenchMatrix& matrix, std::size_t index)
{
    const BenchRow* best = matrix.bestProgram();
    if (best == nullptr)
        return std::string();
    return keep(matrix.name, best->family, best->text, index);
}

Result<std::string> BenchWinners::keep(const std::string& matrix, const std::string& family,
                                       const std::string& text, std::size_t index)
{
    if (m_programs.empty() && m_bundles.empty())
        return std::string();
    // The number keeps matrices of one name apart; the name is for people.
    const std::string stem = fmt::format("{}-{}-{}", index, wordForFile(matrix), family);
    m_winners.push_back({index, matrix, stem, text});
    if (m_programs.empty())
        return std::string();
    const auto file = m_programs / (stem + ".cu");
    SPARSERL_CHECK(writeFileAtomic(file, text));
    return file.string();
}

int BenchWinners::exportAll(const Context& context, const std::vector<ListedMatrix>& matrices,
                            const TargetVariant& variant, const std::string& kept)
{
    if (m_bundles.empty())
        return Done;
    int status = Done;
    std::size_t exported = 0;
    for (const Winner& winner : m_winners) {
        context.keeps(fmt::format("{}; {} of {} are in {}", kept, exported,
                                  formatCounted(static_cast<std::int64_t>(m_winners.size()), "bundle"),
                                  printableLine(m_bundles.string())));
        if (context.cancel.cancelled())
            return Interrupted;
        ReadOptions reading = readingOf(context, winner.name);
        reading.doubles = variant.type != ElementType::F32;
        auto matrix = matrices.at(winner.index).load(reading);
        context.endProgress();
        if (!matrix) {
            status = context.failed(matrix.error());
            continue;
        }
        ProgramExport request;
        request.file = winner.name;
        request.text = winner.text;
        request.matrix = std::make_shared<const Csr>(std::move(*matrix));
        request.matrixName = winner.name;
        request.out = m_bundles / winner.stem;
        request.columns = variant.columns;
        if (const int done = exportProgram(context, request); done != Done)
            status = done;
        else
            ++exported;
    }
    return status;
}

} // namespace sparserl::cli
