// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/suggestions.h"

#include "base/shell.h"
#include "training/parameters/parameter_keys.h"

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

std::vector<Suggestion> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                       const RunSurroundings& found)
{
    std::vector<Suggestion> all;
    if (kind == StageKind::Sft && found.training > 0 && found.training < fewMatrices)
        all.push_back({fmt::format("the project has {} to train on: with fewer than {}, a policy learns "
                                   "their programs by heart and hardly chooses by the matrix",
                                   matricesText(found.training), fewMatrices),
                       {},
                       {},
                       Suggestion::Remedy::Matrices});
    if (kind == StageKind::Rl && found.parentCorrect && *found.parentCorrect <= 0)
        all.push_back(
            {"the run that trained the policy last reported 0 % correct programs, and reinforcement "
             "learning from a policy that writes nothing correct has nothing to reward",
             {},
             {},
             Suggestion::Remedy::FineTuning});
    if (kind == StageKind::Rl && found.training > 0) {
        const std::int64_t wanted = parameters[param::rl::matrices];
        const auto there = static_cast<std::int64_t>(found.training);
        // As many programs an iteration, and larger groups to compare them in.
        const std::int64_t samples = std::int64_t(parameters[param::rl::samples]) * wanted / there;
        if (wanted > there)
            all.push_back({fmt::format("the project has {} to train on and rl.matrices is {}, so each comes "
                                       "several times in an iteration",
                                       matricesText(found.training), wanted),
                           {{std::string(param::rl::matrices.key), std::to_string(there)},
                            {std::string(param::rl::samples.key), std::to_string(samples)}},
                           "draws as many programs in larger groups"});
    }
    const bool draws = kind == StageKind::Evaluate && !parameters[param::evaluate::greedy] &&
                       parameters[param::evaluate::beam] == 0 &&
                       std::string(parameters[param::evaluate::temperatures]).empty();
    const double temperature = draws ? parameters[param::evaluate::temperature] : 0;
    if (found.parentStage == "sft" && temperature > lowTemperature) {
        Suggestion lower{fmt::format("the policy was fine-tuned only, and such policies write more correct "
                                     "programs at lower temperatures than {}",
                                     temperature),
                         {{std::string(param::evaluate::temperature.key), fmt::format("{}", lowTemperature)}},
                         "is a good start"};
        if (found.training > 0) {
            lower.values = {{std::string(param::evaluate::temperatures.key), "0.3,0.5,1"}};
            lower.effect = "takes the one that is best on training matrices";
        }
        all.push_back(std::move(lower));
    }
    return all;
}

std::string commandText(const Suggestion& suggestion)
{
    if (suggestion.remedy == Suggestion::Remedy::Matrices)
        return suggestion.reason + ". `sparserl import --generate SPEC` makes more";
    if (suggestion.remedy == Suggestion::Remedy::FineTuning)
        return suggestion.reason +
               ". Fine-tune it longer first: `sparserl train quickstart-sft --parent RUN`";
    std::string pattern;
    std::vector<std::string> words;
    for (const auto& [key, value] : suggestion.values) {
        pattern += pattern.empty() ? "--set {}" : " --set {}";
        words.push_back(key + "=" + value);
    }
    return fmt::format("{}. {} {}", suggestion.reason, shellCommand(pattern, words), suggestion.effect);
}

double lowerTemperature(std::size_t correct, std::size_t judged, double temperature)
{
    return judged < 4 || 2 * correct >= judged || temperature <= lowTemperature ? 0 : lowTemperature;
}

} // namespace sparserl
