// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/token_scores.h"

#include "base/failure.h"
#include "kernel/verifier.h"
#include "policy/policy/policy.h"
#include "policy/tokenizer/token_bytes.h"
#include "training/data/sft_prompt.h"
#include "training/learning/token_classes.h"
#include "training/sampling/policy_input.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/served_request.h"
#include "training/sampling/stop_words.h"

#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

/// Where the verifier stops, as it would while the program is written.
void findStop(ScoredProgram& program)
{
    IncrementalVerifier verifier;
    for (std::size_t i = 0; i < program.tokens.size(); ++i) {
        if (const auto stop = verifier.feed(program.tokens[i].text)) {
            program.stoppedAt = i;
            program.stopReason = stopWords(*stop);
            return;
        }
    }
}

Result<ScoredProgram> scored(const Policy& policy, const Target& target, std::string_view program,
                             const TokenScoring& how)
{
    const auto most = static_cast<std::size_t>(ServedLimits().tokens);
    if (program.size() > 64 * most)
        return fail(fmt::format("a program may have at most {} tokens", most));
    SequenceBatch batch;
    batch.targets.push_back(policy.tokenizer().encode(program));
    auto& tokens = batch.targets.front();
    tokens.push_back(policy.tokenizer().end());
    if (tokens.size() > most)
        return fail(fmt::format("a program may have at most {} tokens", most));
    const std::string& trained = policy.config().prompt;
    batch.inputs.push_back(policyInput(policy, *target.matrix, viewSeed(how.seed, target.id.contents),
                                       how.forTask ? promptFor(trained, target.id.variant)
                                                   : promptInType(trained, target.id.variant.type)));
    batch.inputOf.push_back(0);

    ScoredProgram result;
    result.temperature = how.temperature > 0 ? how.temperature : policy.config().generation.temperature;
    result.promptTokens = batch.inputs.front().prompt.size();
    const torch::NoGradGuard guard;
    const TokenStatistics statistics = policy.tokenStatistics(batch, result.temperature, true);
    const auto numbers = [](const torch::Tensor& tensor) {
        return tensor.to(torch::kCPU, torch::kFloat64).flatten().contiguous();
    };
    const torch::Tensor logProbs = numbers(statistics.logProbs), entropies = numbers(statistics.entropy);
    const auto classes = classesOf(policy.tokenizer(), tokens);
    const auto bytes = bytesOfTokens(policy.tokenizer(), tokens);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        ScoredToken token;
        token.offset = std::exchange(offset, offset + static_cast<std::int64_t>(bytes[i]));
        token.id = tokens[i];
        if (tokens[i] != policy.tokenizer().end())
            token.text = policy.tokenizer().bytes(tokens[i]);
        token.logProb = logProbs.const_data_ptr<double>()[i];
        token.entropy = entropies.const_data_ptr<double>()[i];
        checkProbability(static_cast<float>(token.logProb));
        token.plan = classes[i] == TokenClass::Plan;
        result.tokens.push_back(std::move(token));
    }
    findStop(result);
    return result;
}

} // namespace

Result<ScoredProgram> scoreTokens(const std::filesystem::path& folder, const Target& target,
                                  std::string_view program, const TokenScoring& how)
{
    SPARSERL_TRY(auto policy, Policy::load(folder));
    SPARSERL_TRY(const auto compute, computeFor(how.device, how.precision));
    policy.moveTo(compute);
    try {
        return scored(policy, target, program, how);
    } catch (const Failure& failure) {
        return fail(failure.error());
    }
}

} // namespace sparserl
