// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/served_policy.h"

#include "base/interruption.h"
#include "policy/policy/policy.h"
#include "policy/tokenizer/utf8.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/verified_sampling.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace sparserl {

struct ServedPolicy::Impl
{
    explicit Impl(Policy loaded)
        : policy(std::move(loaded))
    {
    }
    Policy policy;
    std::mutex mutex; ///< Policies are not thread-safe.

    Result<std::vector<std::int32_t>> promptOf(const ServedRequest& request) const
    {
        const PolicyConfig& config = policy.config();
        if (!request.chat)
            return policy.promptTokens(request.prompt.value_or(config.prompt));
        if (config.chat.empty()) {
            if (request.messages.size() != 1 || request.messages.front().role != ChatRole::User)
                return fail("this policy knows no chat format",
                            "Send one message of the user, or use completions");
            return policy.promptTokens(request.messages.front().content);
        }
        SPARSERL_TRY(const auto format, ChatFormat::named(config.chat));
        return format.tokens(policy.tokenizer(), request.messages, true);
    }
};

ServedPolicy::ServedPolicy(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
ServedPolicy::ServedPolicy(ServedPolicy&&) noexcept = default;
ServedPolicy& ServedPolicy::operator=(ServedPolicy&&) noexcept = default;
ServedPolicy::~ServedPolicy() = default;

Result<ServedPolicy> ServedPolicy::load(const std::filesystem::path& folder, const std::string& device,
                                        const std::string& precision)
{
    SPARSERL_TRY(auto policy, Policy::load(folder));
    SPARSERL_TRY(const auto compute, computeFor(device, precision));
    policy.moveTo(compute);
    return ServedPolicy(std::make_unique<Impl>(std::move(policy)));
}

Result<ServedSamples>
ServedPolicy::write(const ServedRequest& request, const CancelToken& cancel,
                    const std::function<void(std::size_t choice, const std::string& more)>& text) const
{
    const std::lock_guard lock(m_impl->mutex);
    const Policy& policy = m_impl->policy;
    SPARSERL_TRY(auto prompt, m_impl->promptOf(request));
    ModelInput input = policy.inputWithoutMatrix();
    const std::string contents = request.matrix ? digest(*request.matrix) : std::string();
    if (request.matrix)
        input.matrix = std::make_shared<const MatrixTokens>(
            policy.matrixTokens(*request.matrix, viewSeed(request.seed, contents)));
    input.prompt = std::move(prompt);
    const std::size_t promptTokens = input.prompt.size();

    VerifiedSampling how;
    const GenerationSettings& own = policy.config().generation;
    how.options.temperature = request.temperature.value_or(own.temperature);
    how.options.greedy = request.temperature == 0.0;
    if (how.options.greedy)
        how.options.temperature = own.temperature;
    how.options.topP = request.topP;
    how.options.maxTokens = request.maxTokens.value_or(own.maxTokens);
    SPARSERL_CHECK(how.options.check());
    how.verifier = request.verifier;
    how.cancel = cancel;
    const auto count = static_cast<std::size_t>(request.count);
    std::vector<Utf8Stream> streams(count);
    if (text)
        how.onToken = [&](std::size_t choice, std::string_view bytes) {
            if (const std::string more = streams[choice].feed(bytes); !more.empty())
                text(choice, more);
        };
    std::vector<SampleRequest> requests;
    for (std::size_t i = 0; i < count; ++i)
        requests.push_back({0, programSeed(request.seed, contents, i)});
    ServedSamples served;
    served.promptTokens = promptTokens;
    served.samples = sampleVerified(policy, {input}, requests, how);
    if (cancel.cancelled())
        return fail(interruption());
    for (std::size_t i = 0; i < count; ++i) {
        if (const std::string rest = text ? streams[i].finish() : std::string(); !rest.empty())
            text(i, rest);
        served.texts.push_back(policy.tokenizer().decode(served.samples[i].tokens));
    }
    return served;
}

} // namespace sparserl
