// SPDX-License-Identifier: Apache-2.0
// Terms of the SpMV estimate beside measured times, for fitting its weights: reads the JSON lines of measured
// programs ("matrix", "family", "parameters", "warm") and matrices by name from packs or files, prints one
// line per program: matrix, family, parameters, measured microseconds, terms, tail. Usage:
// bench_spmv_estimate_fit MEASURED.jsonl MATRIX...
#include "corpus/estimate_device.h"
#include "corpus/spmv_estimate.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "named_features.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

using namespace sparserl;

int main(int argc, char** argv)
{
    const SpmvDevice device = spmvDevice(defaultDeviceModel()); // Times were measured on such a one.
    const std::span words(argv, static_cast<std::size_t>(argc));
    const auto known = namedFeatures(words.subspan(std::min<std::size_t>(2, words.size())));
    if (!known) {
        fmt::print(stderr, "{}\n", known.error().sentence());
        return 1;
    }
    const auto& features = *known;
    std::ifstream file(argc > 1 ? argv[1] : "");
    for (std::string line; std::getline(file, line);) {
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (row.is_discarded() || !row.value("correct", false) || row.value("dense_columns", 1) != 1)
            continue;
        const auto found = features.find(row.value("matrix", ""));
        const KernelFamily* one = findKernelFamily(row.value("family", ""));
        const auto* rules = one && one->write ? std::get_if<SpmvRules>(&one->rules) : nullptr;
        if (found == features.end() || !rules)
            continue;
        FamilyParameters parameters;
        for (const FamilyParameter& parameter : one->family.parameters)
            parameters[parameter.name] = parameter.values.front();
        const std::string text = row.value("parameters", "{}");
        const auto given = nlohmann::json::parse(text, nullptr, false);
        for (const auto& [name, value] : given.items())
            parameters[name] = value.get<std::int64_t>();
        const SpmvEstimate estimate(found->second, device);
        const auto terms = estimate.terms(*rules, parameters);
        if (terms.empty())
            continue;
        fmt::print("{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\n", found->first, one->family.id, text,
                   row["warm"].value("median", 0.0), fmt::join(terms, "\t"), estimate.tail());
    }
    return 0;
}
