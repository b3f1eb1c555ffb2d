// SPDX-License-Identifier: Apache-2.0
// How well recommend() chooses on the simulated device: for each matrix file, the time of its first candidate
// and of the best of its first three, over the best of the whole grid of families and parameters. Usage:
// bench_corpus_recommendation [--columns N] [--f64] [--recommended] FILE...; with N SpMM. --recommended
// leaves the grid out.
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "matrix/read.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>

using namespace sparserl;

namespace {

/// 24 draws of each family's parameters, always the same ones.
std::vector<Candidate> grid(Task task)
{
    std::vector<Candidate> all;
    for (const Family& family : families(task)) {
        Rng rng = Rng(24).derive(family.id);
        for (int i = 0; i < 24; ++i) {
            FamilyParameters drawn;
            for (const FamilyParameter& parameter : family.parameters)
                drawn[parameter.name] = parameter.values[rng.below(parameter.values.size())];
            all.push_back({family.id, std::move(drawn), 0, {}});
        }
    }
    return all;
}

std::string shown(const Candidate& candidate)
{
    return candidate.family + parametersJson(candidate.parameters);
}

} // namespace

int main(int argc, char** argv)
{
    auto judge = makeSimulatorJudge({});
    if (!judge) {
        fmt::print(stderr, "{}\n", judge.error().sentence());
        return 1;
    }
    std::int64_t columns = 1;
    bool gridToo = true;
    ElementType type = ElementType::F32;
    int firstFile = 1;
    for (; firstFile < argc && argv[firstFile][0] == '-'; ++firstFile) {
        if (std::string_view(argv[firstFile]) == "--recommended")
            gridToo = false;
        else if (std::string_view(argv[firstFile]) == "--f64")
            type = ElementType::F64;
        else if (std::string_view(argv[firstFile]) == "--columns" && firstFile + 1 < argc)
            columns = std::atoi(argv[++firstFile]);
    }
    const Task task = columns > 1 ? Task::SpMM : Task::SpMV;
    std::map<std::string, int> wins;
    double firstLoss = 0, threeLoss = 0, referenceGain = 0;
    int matrices = 0;
    for (int a = firstFile; a < argc; ++a) {
        const auto read = readMatrix(argv[a], {});
        if (!read) {
            fmt::print(stderr, "{}\n", read.error().sentence());
            continue;
        }
        const auto matrix = std::make_shared<const Csr>(read->matrix);
        auto candidates = recommend(task, computeFeatures(*matrix), defaultDeviceModel(), columns, type);
        const std::size_t recommended = candidates.size();
        for (Candidate& candidate : gridToo ? grid(task) : std::vector<Candidate>())
            candidates.push_back(std::move(candidate));
        std::vector<JudgeRequest> requests;
        for (const Candidate& candidate : candidates) {
            const auto program = derive(candidate.family, candidate.parameters, {}, true, type);
            JudgeRequest request; // Without a text where shared memory does not suffice: a plan error.
            request.program = program ? program->text : std::string();
            request.target.id.variant.type = type;
            request.target.matrix = matrix;
            request.target.id.contents = digest(*matrix);
            request.target.id.variant.columns = columns;
            requests.push_back(request);
        }
        const auto records = (*judge)->judge(requests, {});
        if (!records) {
            fmt::print(stderr, "{}\n", records.error().sentence());
            return 1;
        }
        std::map<std::string, std::pair<double, std::size_t>> bestOf;
        std::size_t best = 0;
        double bestTime = 1e300, first = 0, three = 1e300;
        for (std::size_t i = 0; i < records->size(); ++i) {
            const VerdictRecord& record = (*records)[i];
            if (!record.correct()) {
                if (record.verdict != Verdict::FormatError)
                    fmt::print("{}: {} {}\n", shown(candidates[i]), nameOf(record.verdict), record.message);
                continue;
            }
            const double time = record.warm->median;
            auto& family = bestOf.try_emplace(candidates[i].family, 1e300, i).first->second;
            family = std::min(family, {time, i});
            if (time < bestTime) {
                bestTime = time;
                best = i;
            }
            if (i == 0)
                first = time;
            if (i < std::min<std::size_t>(3, recommended))
                three = std::min(three, time);
        }
        const double baseline = records->at(best).baselineMicroseconds;
        fmt::print("{} {} x {}, nnz {}: baseline {:.2f} us; best {:.2f} {}; first {:.2f} {} ({:.2f}); of "
                   "three {:.2f}\n",
                   std::filesystem::path(argv[a]).stem().string(), matrix->rows, matrix->cols, matrix->nnz(),
                   baseline, bestTime, shown(candidates[best]), first, shown(candidates[0]), bestTime / first,
                   bestTime / three);
        for (const auto& [family, result] : bestOf)
            fmt::print("    {:4} {:8.2f} us {}\n", family, result.first, shown(candidates[result.second]));
        ++wins[candidates[best].family];
        ++matrices;
        firstLoss += bestTime / first;
        threeLoss += bestTime / three;
        referenceGain += baseline / bestTime;
    }
    if (matrices == 0)
        return 1;
    fmt::print("\n{} matrices: share of the best time reached by the first recommendation {:.2f}, by the "
               "best of three "
               "{:.2f}; best over baseline {:.2f}x\n",
               matrices, firstLoss / matrices, threeLoss / matrices, referenceGain / matrices);
    for (const auto& [family, count] : wins)
        fmt::print("    {} is best on {}\n", family, count);
    return 0;
}
