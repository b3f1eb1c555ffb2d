// SPDX-License-Identifier: Apache-2.0
#include "training/reference_programs.h"

#include "base/json.h"
#include "base/rng.h"
#include "training/parameter_keys.h"
#include "training/sft_data.h"
#include "training/stage_context.h"

#include <fmt/format.h>

namespace sparserl {

Result<ReferencePrograms> findReferencePrograms(StageContext& context, const std::filesystem::path& file)
{
    ReferencePrograms programs;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
        SPARSERL_TRY(const auto json, readJson(file));
        if (!json.is_object())
            return failAt(file.string(), 0, "This is not a table of reference programs",
                          "Resume from another checkpoint");
        for (const auto& [key, text] : json.items())
            programs[key] = jsonAs<std::string>(text).value_or(std::string());
    }
    const auto& p = context.parameters();
    std::vector<CachedJudge::Request> requests;
    for (const auto& matrix : context.environment().matrices) {
        if (programs.contains(matrix.target.id.key()))
            continue;
        SftDataOptions options;
        options.denseColumns = matrix.target.id.denseColumns;
        options.recommended = 1;
        const Rng base = Rng(static_cast<std::uint64_t>(p[param::seed]))
                             .derive("reference")
                             .derive(matrix.target.id.key());
        SPARSERL_TRY(auto drawn,
                     drawPrograms(*matrix.target.matrix, p[param::reward::statsSamples], options, base));
        for (DerivedProgram& program : drawn)
            requests.push_back({std::move(program.text), &matrix, false, {}});
    }
    if (requests.empty())
        return programs;
    SPARSERL_TRY(const auto records, context.judge().judge(requests, context.cancel(), [&](std::size_t done) {
        context.pulse(fmt::format("judging reference programs {}/{}", done, requests.size()), 0);
    }));
    std::map<std::string, double> fastest;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!records[i].correct() || !records[i].warm)
            continue;
        const auto key = requests[i].target->target.id.key();
        const double time = records[i].warm->median;
        const auto [at, isNew] = fastest.try_emplace(key, time);
        if (!isNew && time >= at->second)
            continue;
        at->second = time;
        programs[key] = requests[i].program;
    }
    return programs;
}

Status saveReferencePrograms(const ReferencePrograms& programs, const std::filesystem::path& file)
{
    return writeJson(file, nlohmann::json(programs));
}

} // namespace sparserl
