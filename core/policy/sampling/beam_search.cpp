// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/beam_search.h"

#include "policy/sampling/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sparserl {

namespace {

struct Beam
{
    std::vector<std::int32_t> tokens;
    std::vector<float> logProbs;
    double sum = 0;
    std::function<bool(std::int32_t)> accepts;
};

/// One more token for a beam.
struct Step
{
    std::size_t beam = 0;
    std::int32_t token = 0;
    float logProb = 0;
    double sum = 0;
};

double scoreOf(const Beam& beam, double lengthPenalty)
{
    return beam.sum / std::pow(static_cast<double>(beam.tokens.size()), lengthPenalty);
}

/// The `count` likeliest next tokens of one beam, best first.
std::vector<Step> likeliest(const float* logits, int vocabulary, std::size_t count)
{
    const float top = *std::max_element(logits, logits + vocabulary);
    double sum = 0;
    for (int i = 0; i < vocabulary; ++i)
        sum += std::exp(static_cast<double>(logits[i] - top));
    checkProbability(static_cast<float>(sum)); // what is not ordered cannot be sorted
    std::vector<int> order(static_cast<std::size_t>(vocabulary));
    std::iota(order.begin(), order.end(), 0);
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](int a, int b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
    std::vector<Step> steps(count);
    for (std::size_t i = 0; i < count; ++i) {
        steps[i].token = order[i];
        steps[i].logProb = static_cast<float>(static_cast<double>(logits[order[i]] - top) - std::log(sum));
    }
    return steps;
}

class Search
{
public:
    /// `read`: the input.
    Search(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& read,
           const BeamOptions& options)
        : m_options(options)
        , m_vocabulary(model.vocabSize())
        , m_stepper(model.stepper(read, options.width, options.maxTokens))
    {
        for (int place = 0; place < options.width; ++place)
            m_stepper->start(place, 0, {});
        m_live.emplace_back().accepts = options.accepts; // all beams begin alike: one is enough
    }

    bool goesOn() const
    {
        if (m_live.empty() || static_cast<int>(m_live.front().tokens.size()) >= m_options.maxTokens)
            return false;
        if (m_ended.size() < width())
            return true;
        return scoreOf(m_live.front(), m_options.lengthPenalty) >
               scoreOf(m_ended.back(), m_options.lengthPenalty);
    }

    void step()
    {
        std::vector<std::vector<Step>> found(m_live.size());
        std::vector<int> places(m_live.size());
        std::iota(places.begin(), places.end(), 0);
        std::vector<std::int32_t> last;
        for (const Beam& beam : m_live)
            last.push_back(beam.tokens.empty() ? 0 : beam.tokens.back());
        // One of a beam's tokens may be </s>, so that width + 1 are enough to go on with where all are
        // accepted.
        const std::size_t looked = m_options.accepts ? 4 * (width() + 1) : width() + 1;
        m_stepper->step(places, last, [&](std::size_t i, const float* logits) {
            found[i] = likeliest(logits, m_vocabulary, looked);
        });
        std::vector<Step> all;
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (Step next : found[i]) {
                next.beam = i;
                next.sum = m_live[i].sum + static_cast<double>(next.logProb);
                all.push_back(next);
            }
        }
        std::stable_sort(all.begin(), all.end(), [](const Step& a, const Step& b) { return a.sum > b.sum; });
        take(all);
    }

    std::vector<Sample> result(bool cancelled)
    {
        std::sort(m_live.begin(), m_live.end(), [&](const Beam& a, const Beam& b) { return better(a, b); });
        std::vector<Sample> samples;
        for (const auto* list : {&m_ended, &m_live}) {
            for (const Beam& beam : *list) {
                if (samples.size() == width())
                    break;
                Sample sample;
                sample.tokens = beam.tokens;
                sample.logProbs = beam.logProbs;
                sample.behaviourLogProbs.assign(beam.tokens.size(), 0.0f);
                sample.finished = list == &m_ended;
                samples.push_back(std::move(sample));
            }
        }
        samples.resize(width()); // fewer only where the vocabulary has too few tokens, or when cancelled
        for (Sample& sample : samples) {
            if (!cancelled && !sample.tokens.empty())
                continue;
            sample.stopped = true;
            sample.stopReason = cancelled ? "cancelled" : "the search found no other program";
        }
        return samples;
    }

private:
    std::size_t width() const { return static_cast<std::size_t>(m_options.width); }
    bool better(const Beam& a, const Beam& b) const
    {
        return scoreOf(a, m_options.lengthPenalty) > scoreOf(b, m_options.lengthPenalty);
    }
    /// Every step that ends a sequence competes for the best ones; of the others the best are the next beams.
    void take(const std::vector<Step>& steps)
    {
        std::vector<Beam> next;
        std::vector<int> from;
        for (const Step& step : steps) {
            const bool ends = step.token == m_options.end;
            if (!ends && next.size() == width())
                continue;
            Beam beam = m_live[step.beam];
            if (!ends && beam.accepts && !beam.accepts(step.token))
                continue;
            beam.tokens.push_back(step.token);
            beam.logProbs.push_back(step.logProb);
            beam.sum = step.sum;
            if (!ends) {
                next.push_back(std::move(beam));
                from.push_back(static_cast<int>(step.beam));
                continue;
            }
            const auto at = std::upper_bound(m_ended.begin(), m_ended.end(), beam,
                                             [&](const Beam& a, const Beam& b) { return better(a, b); });
            m_ended.insert(at, std::move(beam));
            if (m_ended.size() > width())
                m_ended.pop_back();
        }
        m_stepper->regroup(from);
        m_live = std::move(next);
    }

    BeamOptions m_options;
    int m_vocabulary;
    std::unique_ptr<Stepper> m_stepper;
    std::vector<Beam> m_live;  ///< Beam i stands at place i; best sum first.
    std::vector<Beam> m_ended; ///< With </s>, best score first.
};

} // namespace

std::vector<Sample> beamSearch(const LanguageModel& model, const ModelInput& input,
                               const BeamOptions& options, const std::function<void()>& progress,
                               const CancelToken& cancel)
{
    TORCH_CHECK(options.width > 0 && options.maxTokens > 0, "beam options must be checked by the caller");
    const torch::NoGradGuard guard;
    const auto read = readInputs(model, {input}, cancel, {});
    if (!read) {
        Sample none;
        none.stopped = true;
        none.stopReason = "cancelled";
        return std::vector<Sample>(static_cast<std::size_t>(options.width), none);
    }
    Search search(model, read, options);
    while (search.goesOn() && !cancel.cancelled()) {
        search.step();
        if (progress)
            progress();
    }
    return search.result(cancel.cancelled());
}

} // namespace sparserl
