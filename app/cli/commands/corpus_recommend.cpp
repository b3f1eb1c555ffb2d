// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/corpus_recommend.h"
#include "app/cli/matrix_words.h"

#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/source_name.h"
#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "matrix/matrix_list.h"
#include "target/family_names.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

int recommendPrograms(const CorpusRecommendOptions& options, const Context& context)
{
    const auto task = taskFromName(options.task);
    const ElementType type = elementTypeFromName(options.type).value_or(ElementType::F32);
    const auto device = loadDeviceModel(options.model);
    if (!device)
        return context.error(device.error());
    if (auto free = checkNewFolder(options.out); !free)
        return context.error(free.error());
    const std::int64_t columns = *task == Task::SpMM ? options.columns : 1;
    int status = Done;
    std::int64_t written = 0;
    const auto listed = listMatricesHere(options.matrices);
    if (!listed)
        return context.error(listed.error());
    const auto read = [&](const ListedMatrix& entry) { return entry.load(readingOf(context, entry.name)); };
    const auto say = [&](const ListedMatrix& entry, const Csr& matrix) {
        const auto candidates = recommend(*task, computeFeatures(matrix, columns), *device, columns, type);
        if (!context.json)
            context.print(
                formatLine("{}: {} x {}, {}, {}\n", entry.name, matrix.rows, matrix.cols,
                           formatCounted(matrix.nnz(), "entry", "entries"),
                           formatCounted(static_cast<std::int64_t>(candidates.size()), "candidate")));
        for (std::size_t i = 0; i < candidates.size() && i < static_cast<std::size_t>(options.count); ++i) {
            const Candidate& candidate = candidates[i];
            std::string file;
            if (!options.out.empty()) {
                const auto program = derive(candidate.family, candidate.parameters, {}, true, type);
                if (!program) {
                    status = context.error(program.error());
                    return false;
                }
                file = (std::filesystem::path(options.out) /
                        fmt::format("{}-{:02}-{}.cu", copyName(entry.name), i, candidate.family))
                           .string();
                if (const auto kept = writeFileAtomic(file, program->text); !kept) {
                    status = context.error(kept.error());
                    return false;
                }
                context.keeps(formatCounted(++written, "program is", "programs are") + " in " +
                              printableLine(options.out));
            }
            context.emit({{"matrix", entry.name},
                          {"family", candidate.family},
                          {"parameters", candidate.parameters},
                          {"score", candidate.score},
                          {"reason", candidate.reason},
                          {"file", file}});
            if (!context.json)
                context.print(fmt::format("  {:4.2f} {}  {}  {}\n", candidate.score,
                                          familyTitle(candidate.family), parametersJson(candidate.parameters),
                                          candidate.reason));
        }
        return true;
    };
    readEach(context, *listed, status, read, say);
    return status;
}

} // namespace sparserl::cli
