// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/served_policy.h"

#include "base/interruption.h"
#include "policy/policy/policy.h"
#include "policy/policy/policy_update.h"
#include "policy/tokenizer/utf8.h"
#include "training/data/matrix_text.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/verified_sampling.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <utility>

namespace sparserl {

struct ServedPolicy::Impl
{
    Impl(Policy loaded, std::string model)
        : policy(std::move(loaded))
        , weights{std::move(model), {}}
    {
    }
    Policy policy;
    std::string frozen;     ///< frozenDigest(); empty if there are no updates.
    std::timed_mutex mutex; ///< Policies are not thread-safe.
    std::mutex naming;      ///< Of what follows, which changes under both.
    ServedWeights weights;

    /// The words about a matrix that a policy reads before a prompt, if it reads words.
    std::string wordsAbout(const ServedRequest& request, std::uint64_t seed) const
    {
        const auto entries = static_cast<std::size_t>(policy.config().textEntries);
        return entries > 0 && request.matrix ? matrixText(*request.matrix, entries, seed) + "\n"
                                             : std::string();
    }

    Result<std::vector<std::int32_t>> promptOf(const ServedRequest& request, std::uint64_t seed) const
    {
        const std::string words = wordsAbout(request, seed);
        const PolicyConfig& config = policy.config();
        if (request.promptIds) {
            for (const std::int32_t id : *request.promptIds)
                if (id < 0 || id >= policy.vocabSize())
                    return fail(fmt::format("the policy has no token {}", id));
            return *request.promptIds;
        }
        if (!request.chat)
            return policy.promptTokens(words + request.prompt.value_or(config.prompt));
        if (config.chat.empty()) {
            if (request.messages.size() != 1 || request.messages.front().role != ChatRole::User)
                return fail("this policy knows no chat format",
                            "Send one message of the user, or use completions");
            return policy.promptTokens(words + request.messages.front().content);
        }
        SPARSERL_TRY(const auto format, ChatFormat::named(config.chat));
        auto messages = request.messages;
        const auto asks = [](const ChatMessage& message) { return message.role == ChatRole::User; };
        if (const auto first = std::ranges::find_if(messages, asks); first != messages.end())
            first->content = words + first->content;
        return format.tokens(policy.tokenizer(), messages, true);
    }

    Result<ModelInput> inputOf(const ServedRequest& request) const
    {
        ModelInput input = policy.inputWithoutMatrix();
        const EmbeddingConfig& reads = policy.config().embedding;
        if (const auto& tokens = request.matrixTokens) {
            if (policy.config().textEntries > 0)
                return fail("this policy reads matrices as text, not as \"matrix_tokens\"");
            const auto width = static_cast<std::size_t>(reads.entryWidth());
            const bool tree = reads.mode == EmbeddingMode::QuadtreeAttention;
            if (tokens->count < 1 || tokens->count > 4 * static_cast<std::int64_t>(reads.maxEntries) ||
                tokens->entries.size() != static_cast<std::size_t>(tokens->count) * width ||
                tokens->features.size() != static_cast<std::size_t>(reads.featureWidth()) ||
                tokens->parents.size() != (tree ? static_cast<std::size_t>(tokens->count) : 0))
                return fail("\"matrix_tokens\" are not those of this policy");
            input.matrix = tokens;
        }
        const std::uint64_t seed =
            request.matrix ? viewSeed(request.seed, digest(*request.matrix)) : std::uint64_t(0);
        if (policy.config().textEntries > 0)
            input.matrix = nullptr;
        else if (request.matrix)
            input.matrix = std::make_shared<const MatrixTokens>(policy.matrixTokens(*request.matrix, seed));
        SPARSERL_TRY(input.prompt, promptOf(request, seed));
        if (const std::size_t most = ServedLimits().prompt; input.prompt.size() > most)
            return fail(fmt::format("the prompt may have at most {} tokens", most));
        if (!input.matrix && input.prompt.empty())
            return fail("there is nothing for the policy to read", "Give \"prompt\" or \"matrix\"");
        return input;
    }
};

ServedPolicy::ServedPolicy(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
ServedPolicy::ServedPolicy(ServedPolicy&&) noexcept = default;
ServedPolicy& ServedPolicy::operator=(ServedPolicy&&) noexcept = default;
ServedPolicy::~ServedPolicy() = default;

Result<ServedPolicy> ServedPolicy::load(const std::filesystem::path& folder, const std::string& model,
                                        const std::string& device, const std::string& precision, bool updated)
{
    SPARSERL_TRY(auto policy, Policy::load(folder));
    SPARSERL_TRY(const auto compute, computeFor(device, precision));
    auto impl = std::make_unique<Impl>(std::move(policy), model);
    if (updated)
        impl->frozen = frozenDigest(impl->policy);
    impl->policy.moveTo(compute);
    return ServedPolicy(std::move(impl));
}

ServedWeights ServedPolicy::weights() const
{
    const std::lock_guard lock(m_impl->naming);
    return m_impl->weights;
}

Result<ServedWeights> ServedPolicy::update(const std::string& model, const std::filesystem::path& folder,
                                           const CancelToken& cancel) const
{
    std::unique_lock lock(m_impl->mutex, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(50)))
        if (cancel.cancelled())
            return fail(interruption());
    SPARSERL_TRY(const std::string digest, readUpdate(m_impl->policy, m_impl->frozen, folder / updateFile));
    const std::lock_guard naming(m_impl->naming);
    m_impl->weights = {model, digest};
    return m_impl->weights;
}

namespace {

/// Asks at most twenty times per second whether the answer is still wanted.
class Interest
{
public:
    Interest(const CancelToken& cancel, const ServedEvents& events)
        : m_cancel(cancel)
        , m_events(events)
    {
    }
    bool ended()
    {
        if (const auto now = Clock::now(); !m_ended && now >= m_next) {
            m_next = now + every;
            m_ended = m_events.wanted && !m_events.wanted();
        }
        return m_ended || m_cancel.cancelled();
    }
    static constexpr std::chrono::milliseconds every{50};

private:
    using Clock = std::chrono::steady_clock;

    const CancelToken& m_cancel;
    const ServedEvents& m_events;
    Clock::time_point m_next;
    bool m_ended = false;
};

} // namespace

Result<ServedSamples> ServedPolicy::write(const ServedRequest& request, const CancelToken& cancel,
                                          const ServedEvents& events) const
{
    Interest interest(cancel, events);
    std::unique_lock lock(m_impl->mutex, std::defer_lock);
    while (!lock.try_lock_for(Interest::every))
        if (interest.ended())
            return fail(interruption());
    const Policy& policy = m_impl->policy;
    ServedSamples served;
    served.weights = m_impl->weights;
    served.refused = !request.fingerprint.empty() && request.fingerprint != served.weights.fingerprint;
    if (served.refused)
        return served;
    SPARSERL_TRY(const ModelInput input, m_impl->inputOf(request));
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
    how.progress = [&](std::size_t) {
        if (interest.ended())
            how.cancel.cancel();
    };
    const auto count = static_cast<std::size_t>(request.count);
    std::vector<Utf8Stream> streams(count);
    if (events.text)
        how.onToken = [&](std::size_t choice, std::string_view bytes) {
            if (const std::string more = streams[choice].feed(bytes); !more.empty())
                events.text(choice, more);
        };
    const std::string contents = request.matrix ? digest(*request.matrix) : std::string();
    std::vector<SampleRequest> requests;
    for (std::size_t i = 0; i < count; ++i)
        requests.push_back(
            {0, request.seeds.empty() ? programSeed(request.seed, contents, i) : request.seeds[i]});
    served.promptTokens = promptTokens;
    served.samples = sampleVerified(policy, {input}, requests, how);
    if (how.cancel.cancelled() || interest.ended())
        return fail(interruption());
    for (std::size_t i = 0; i < count; ++i) {
        if (const std::string rest = events.text ? streams[i].finish() : std::string(); !rest.empty())
            events.text(i, rest);
        served.texts.push_back(validUtf8(policy.tokenizer().decode(served.samples[i].tokens)));
    }
    return served;
}

} // namespace sparserl
