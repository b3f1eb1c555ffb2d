// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/observer.h"

namespace sparserl::cuda {

namespace {

constexpr std::size_t mostCalls = std::size_t(1) << 20;
constexpr const char* observing = "keeping what programs observe";

} // namespace

Result<Observer> Observer::make(Gpu& gpu)
{
    Observer made(gpu);
    SPARSERL_TRY(auto memory, gpu.allocate(static_cast<std::int64_t>(4 * mostCalls), observing));
    made.m_words = std::move(memory);
    return made;
}

int Observer::watch(std::vector<Call> calls)
{
    m_sequences.push_back(std::move(calls));
    return static_cast<int>(m_sequences.size()) - 1;
}

Status Observer::record(int sequence, std::optional<bool> label)
{
    int position = 0;
    for (const Call& call : m_sequences[static_cast<std::size_t>(sequence)]) {
        if (m_calls.size() == mostCalls)
            return fail("more calls than can be observed", "take fewer samples");
        SPARSERL_CHECK(m_gpu->check(m_gpu->api().memcpyDtoDAsync(m_words.address() + 4 * m_calls.size(),
                                                                 call.word, 4, m_gpu->stream()),
                                    observing));
        m_calls.push_back({m_samples, sequence, position++, call.timed, label.value_or(call.looked), 0});
    }
    ++m_samples;
    return {};
}

Result<std::vector<ObservedCall>> Observer::finish()
{
    std::vector<std::uint32_t> words(m_calls.size());
    SPARSERL_CHECK(fetchChecked(*m_gpu, words.data(), m_words.address(), 4 * words.size()));
    for (std::size_t i = 0; i < words.size(); ++i)
        m_calls[i].word = words[i];
    return std::move(m_calls);
}

} // namespace sparserl::cuda
