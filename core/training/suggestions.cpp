// SPDX-License-Identifier: Apache-2.0
#include "training/suggestions.h"

#include "base/shell.h"
#include "training/parameter_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Below it, a policy knows the programs of its matrices by heart: the quickstart has 26
/// (tests/benchmarks/quickstart.md).
constexpr std::size_t fewMatrices = 16;
/// What fine-tuned policies are best at (tests/benchmarks/quickstart.md and tests/benchmarks/rl_gain.md).
constexpr double lowTemperature = 0.5;

std::string matricesText(std::size_t count)
{
    return count == 1 ? "one matrix" : fmt::format("{} matrices", count);
}

} // namespace

std::vector<std::string> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                        const RunSurroundings& found)
{
    std::vector<std::string> all;
    if (kind == StageKind::Sft && found.training < fewMatrices)
        all.push_back(fmt::format(
            "the project has {} to train on: with fewer than {}, a policy learns their programs by heart and "
            "hardly chooses by the matrix. `sparserl import --generate SPEC` makes more",
            matricesText(found.training), fewMatrices));
    if (kind == StageKind::Rl && found.training > 0) {
        const std::int64_t wanted = parameters[param::rl::matrices];
        const auto there = static_cast<std::int64_t>(found.training);
        // As many programs an iteration, and larger groups to compare them in.
        const std::int64_t samples = std::int64_t(parameters[param::rl::samples]) * wanted / there;
        if (wanted > there)
            all.push_back(
                fmt::format("rl.matrices is {}, and the project has {} to train on, so each comes several "
                            "times in an iteration. {} draws as many programs in larger groups",
                            wanted, matricesText(found.training),
                            shellCommand("--set {} --set {}", {fmt::format("rl.matrices={}", there),
                                                               fmt::format("rl.samples={}", samples)})));
    }
    const bool draws = kind == StageKind::Evaluate && !parameters[param::evaluate::greedy] &&
                       parameters[param::evaluate::beam] == 0 &&
                       std::string(parameters[param::evaluate::temperatures]).empty();
    const double temperature = draws ? double(parameters[param::evaluate::temperature]) : 0;
    if (found.parentStage == "sft" && temperature > lowTemperature) {
        const bool compare = found.training > 0;
        const std::string better = compare ? "evaluate.temperatures=0.3,0.5,1"
                                           : fmt::format("evaluate.temperature={}", lowTemperature);
        all.push_back(fmt::format(
            "the policy was fine-tuned only, and such policies write more correct programs at lower "
            "temperatures than {}. {} {}",
            temperature, shellCommand("--set {}", {better}),
            compare ? "takes the one that is best on training matrices" : "is a good start"));
    }
    return all;
}

std::string temperatureSuggestion(std::size_t correct, std::size_t judged, double temperature)
{
    if (judged < 4 || 2 * correct >= judged || temperature <= lowTemperature)
        return {};
    return fmt::format("{} of {} programs are correct. More are at a lower temperature than {}: try "
                       "--temperature {}",
                       correct, judged, temperature, lowTemperature);
}

} // namespace sparserl
