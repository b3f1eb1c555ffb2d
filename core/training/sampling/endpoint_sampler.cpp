// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/endpoint_sampler.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_update.h"
#include "training/sampling/ask_together.h"
#include "training/sampling/endpoint_samples.h"

#include <atomic>
#include <fmt/format.h>
#include <random>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr int mostLoads = 3; ///< Of the same weights for one question, before they count as not loaded.

/// Distinguishes the names of this process from those of others, also of an earlier process of the same run.
std::string unusedName(const fs::path& folder)
{
    std::random_device device;
    return fmt::format("{}-{:08x}", folder.parent_path().filename().string(), device());
}

} // namespace

struct EndpointSampler::Group
{
    int input = 0;
    std::vector<std::size_t> requests; ///< Their positions.
    std::vector<std::uint64_t> seeds;
};

EndpointSampler::EndpointSampler(std::shared_ptr<const EndpointClient> client, fs::path folder,
                                 std::string frozen)
    : m_client(std::move(client))
    , m_folder(std::move(folder))
    , m_frozen(std::move(frozen))
    , m_prefix(unusedName(m_folder))
{
}

EndpointSampler::~EndpointSampler()
{
    std::error_code ignored;
    removeTree(m_folder, ignored);
}

Result<std::unique_ptr<EndpointSampler>> EndpointSampler::make(std::shared_ptr<const EndpointClient> client,
                                                               const fs::path& folder, std::string frozen,
                                                               const CancelToken& cancel)
{
    std::error_code ignored;
    removeTree(folder, ignored); // what a killed process left
    std::unique_ptr<EndpointSampler> sampler(
        new EndpointSampler(std::move(client), fs::absolute(folder), std::move(frozen)));
    SPARSERL_TRY(sampler->m_ours, sampler->m_client->isOurs(cancel));
    return sampler;
}

/// Tells the server to load m_name.
Status EndpointSampler::load(const CancelToken& cancel) const
{
    SPARSERL_TRY(const auto answer,
                 m_client->post("load_lora_adapter",
                                {{"lora_name", m_name}, {"lora_path", (m_folder / m_name).string()}}, 0, {},
                                cancel));
    if (m_ours && jsonValue(answer, "system_fingerprint", std::string()) != m_fingerprint)
        return fail("the server has loaded other weights than it was given");
    return {};
}

/// The same after an answer of other weights, unless another thread has done it since `seen`.
Status EndpointSampler::loadAgain(int seen, const CancelToken& cancel)
{
    const std::lock_guard lock(m_loading);
    if (m_loads != seen)
        return {};
    SPARSERL_CHECK(load(cancel));
    ++m_loads;
    return {};
}

/// Makes the weights of a policy those of the server.
Status EndpointSampler::offer(const Policy& policy, const CancelToken& cancel)
{
    const std::string digest = trainableDigest(policy);
    if (digest == m_fingerprint)
        return {};
    const std::string before = std::exchange(m_name, fmt::format("{}-{}", m_prefix, ++m_names));
    m_fingerprint.clear(); // Nothing is known of the server if this fails.
    const fs::path folder = m_folder / m_name;
    if (m_ours) {
        SPARSERL_CHECK(makeDirectories(folder));
        SPARSERL_CHECK(writeUpdate(policy, m_frozen, folder / updateFile));
    } else {
        SPARSERL_CHECK(makeDirectories(m_folder));
        SPARSERL_CHECK(writePeftAdapters(policy, folder));
    }
    m_fingerprint = digest;
    if (auto loaded = load(cancel); !loaded) {
        m_fingerprint.clear();
        return loaded;
    }
    std::error_code ignored;
    if (!before.empty())
        removeTree(m_folder / before, ignored);
    return {};
}

nlohmann::json EndpointSampler::question(const ModelInput& input, const Group& group,
                                         const VerifiedSampling& how) const
{
    nlohmann::json body{{"model", m_name},
                        {"prompt", input.prompt},
                        {"n", group.seeds.size()},
                        {"seed", group.seeds.front() & 0x7fffffff}, // servers take 32 or 64 signed bits
                        {"max_tokens", how.options.maxTokens},
                        {"temperature", how.options.greedy ? 0 : how.options.temperature},
                        {"logprobs", 1},
                        {"return_token_ids", true},
                        {"return_tokens_as_token_ids", true}};
    if (!m_ours) {
        // Servers take what is missing from the model's files, and the samples would be of something else.
        const nlohmann::json plain{{"top_p", 1},
                                   {"top_k", -1},
                                   {"min_p", 0},
                                   {"repetition_penalty", 1},
                                   {"presence_penalty", 0},
                                   {"frequency_penalty", 0}};
        body.update(plain);
        return body;
    }
    body["seeds"] = group.seeds;
    body["verifier"] = how.verifier;
    body["fingerprint"] = m_fingerprint;
    if (input.matrix)
        body["matrix_tokens"] = {{"count", input.matrix->count},
                                 {"entries", input.matrix->entries},
                                 {"features", input.matrix->features},
                                 {"parents", input.matrix->parents}};
    return body;
}

/// Whether other weights answered, or would have: those of a server that was started again, or that somebody
/// else gave others.
bool EndpointSampler::isStale(const Result<nlohmann::json>& answer, int status) const
{
    if (!answer)
        return status == (m_ours ? 409 : 404);
    return jsonValue(*answer, "model", std::string()) != m_name ||
           (m_ours && jsonValue(*answer, "system_fingerprint", std::string()) != m_fingerprint);
}

Result<std::vector<Sample>> EndpointSampler::ask(const Policy& policy, const std::vector<ModelInput>& inputs,
                                                 const Group& group, const VerifiedSampling& how)
{
    const ModelInput& input = inputs[static_cast<std::size_t>(group.input)];
    if (!m_ours && input.matrix)
        return fail(fmt::format("the server of the endpoint \"{}\" cannot show a matrix to the policy",
                                m_client->settings().name),
                    "Use `sparserl serve`");
    const std::size_t count = group.seeds.size();
    const auto body = question(input, group, how);
    const auto most = static_cast<std::int64_t>(input.prompt.size()) +
                      static_cast<std::int64_t>(count) * how.options.maxTokens;
    std::string model;
    for (int tried = 0; tried < mostLoads; ++tried) {
        const int seen = [&] {
            const std::lock_guard lock(m_loading);
            return m_loads;
        }();
        int status = 0;
        const auto answer = m_client->post(
            "completions", body, most,
            [count](const nlohmann::json& json) { return checkChoices(json, count); }, how.cancel, &status);
        if (isStale(answer, status)) {
            model = answer ? jsonValue(*answer, "model", std::string()) : answer.error().what;
            SPARSERL_CHECK(loadAgain(seen, how.cancel));
            continue;
        }
        if (!answer)
            return fail(answer.error());
        SPARSERL_TRY(auto samples,
                     samplesInAnswer(*answer, policy, {count, how.options.maxTokens, how.options.greedy}));
        for (Sample& sample : samples)
            if (how.verifier)
                stopByVerifier(sample, policy.tokenizer());
        return samples;
    }
    return fail(fmt::format("the endpoint \"{}\" does not answer with the weights {} of this iteration: {}",
                            m_client->settings().name, m_name, m_client->shown(model)),
                "Make sure that nobody else trains with this server");
}

Result<std::vector<Sample>> EndpointSampler::sample(const Policy& policy,
                                                    const std::vector<ModelInput>& inputs,
                                                    const std::vector<SampleRequest>& requests,
                                                    const VerifiedSampling& how)
{
    SPARSERL_CHECK(offer(policy, how.cancel));
    std::vector<Group> groups;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        constexpr std::size_t mostChoices = 256; // as the server allows
        if (groups.empty() || groups.back().input != requests[i].input ||
            groups.back().seeds.size() == mostChoices)
            groups.push_back({requests[i].input, {}, {}});
        groups.back().requests.push_back(i);
        groups.back().seeds.push_back(requests[i].seed);
    }
    std::vector<Sample> samples(requests.size());
    std::atomic<std::size_t> tokens = 0;
    Questions questions;
    questions.count = groups.size();
    questions.concurrent = m_client->settings().concurrent;
    questions.ask = [&](std::size_t i) -> Status {
        SPARSERL_TRY(auto drawn, ask(policy, inputs, groups[i], how));
        for (std::size_t s = 0; s < drawn.size(); ++s) {
            tokens += drawn[s].tokens.size();
            samples[groups[i].requests[s]] = std::move(drawn[s]);
        }
        return {};
    };
    questions.meanwhile = [&] {
        if (how.progress)
            how.progress(tokens);
    };
    SPARSERL_CHECK(askTogether(questions, how.cancel));
    return samples;
}

} // namespace sparserl
