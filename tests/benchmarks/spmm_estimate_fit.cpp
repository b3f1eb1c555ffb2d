// SPDX-License-Identifier: Apache-2.0
// Terms of a time of SpMM programs beside measured times, to fit an estimate to as SpMV has one
// (core/corpus/spmv_estimate.h): reads rows of `sparserl device calibrate` and matrices by name from packs or
// files, prints one line per program: matrix and columns, family, parameters, measured microseconds, the
// score of today's recommendation (0: not recommended), terms, tail. Usage: bench_spmm_estimate_fit
// ROWS.jsonl MODEL MATRIX..., with the model of the device that the times are of (h200, h100).
#include "corpus/estimate_device.h"
#include "corpus/spmm_estimate.h"
#include "corpus/spmv_estimate.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "named_features.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

using namespace sparserl;

int main(int argc, char** argv)
{
    const auto loaded = loadDeviceModel(argc > 2 ? argv[2] : "");
    if (!loaded) {
        fmt::print(stderr, "{}\n", loaded.error().sentence());
        return 1;
    }
    const DeviceModel& model = *loaded;
    const SpmvDevice device = spmvDevice(model);
    const std::span words(argv, static_cast<std::size_t>(argc));
    const auto known = namedFeatures(words.subspan(std::min<std::size_t>(3, words.size())));
    if (!known) {
        fmt::print(stderr, "{}\n", known.error().sentence());
        return 1;
    }
    const auto& features = *known;
    std::map<std::pair<std::string, std::int64_t>, std::vector<Candidate>> recommended;
    std::ifstream file(argc > 1 ? argv[1] : "");
    for (std::string line; std::getline(file, line);) {
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (row.is_discarded() || !row.value("correct", false) || row.value("dense_columns", 1) < 2 ||
            !row.contains("warm"))
            continue;
        const std::string name = row.value("matrix", "");
        const std::int64_t columns = row.value("dense_columns", 1);
        const auto found = features.find(name);
        const KernelFamily* one = findKernelFamily(row.value("family", ""));
        if (found == features.end() || !one || one->task() != Task::SpMM)
            continue;
        FamilyParameters parameters;
        const std::string text = row.value("parameters", "{}");
        const auto given = nlohmann::json::parse(text, nullptr, false);
        for (const auto& [key, value] : given.items())
            parameters[key] = value.get<std::int64_t>();
        auto [list, fresh] = recommended.try_emplace({name, columns});
        if (fresh)
            list->second = recommend(Task::SpMM, found->second, model, columns);
        double score = 0;
        for (const Candidate& candidate : list->second) {
            const auto program = derive(candidate.family, candidate.parameters, {});
            if (candidate.family == one->family.id && program && program->parameters == parameters)
                score = candidate.score;
        }
        const auto terms =
            SpmmEstimate(found->second, columns, device).terms(std::get<SpmmRules>(one->rules), parameters);
        if (terms.empty())
            continue;
        fmt::print("{}@{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\n", name, columns, one->family.id, text,
                   row["warm"].value("median", 0.0), score, fmt::join(terms, "\t"),
                   SpmvEstimate(found->second, device).tail());
    }
    return 0;
}
