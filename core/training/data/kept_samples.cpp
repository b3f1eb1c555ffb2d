// SPDX-License-Identifier: Apache-2.0
#include "training/data/kept_samples.h"

#include <algorithm>
#include <map>
#include <set>

namespace sparserl {

std::int64_t longestRepeat(std::string_view text)
{
    std::int64_t longest = 0, repeat = 0;
    std::string_view last;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const auto line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        repeat = line == last ? repeat + 1 : 1;
        last = line;
        longest = std::max(longest, repeat);
    }
    return longest;
}

std::optional<std::string> rejected(const RatedSample& sample, const RejectionRules& rules)
{
    if (!(sample.reward > rules.above))
        return "its reward is too low";
    if (!sample.finished)
        return "it does not end";
    for (const VerdictFlag flag : {VerdictFlag::Suspicious, VerdictFlag::Nondeterministic}) {
        if (sample.record.flags.has(flag))
            return "it is " + std::string(nameOf(flag));
    }
    if (rules.repeatLimit > 0 && longestRepeat(sample.text) > rules.repeatLimit)
        return "it repeats a line";
    return std::nullopt;
}

std::vector<RatedSample> keepSamples(const std::vector<RatedSample>& samples, const RejectionRules& rules)
{
    std::set<std::pair<std::string, std::string>> seen;
    std::map<std::string, std::vector<std::size_t>> byMatrix;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!rejected(samples[i], rules) && seen.emplace(samples[i].target.key(), samples[i].text).second)
            byMatrix[samples[i].target.key()].push_back(i);
    }
    std::vector<std::size_t> kept;
    for (auto& [key, indices] : byMatrix) {
        std::stable_sort(indices.begin(), indices.end(),
                         [&](std::size_t a, std::size_t b) { return samples[a].reward > samples[b].reward; });
        if (rules.perMatrix > 0)
            indices.resize(std::min(indices.size(), static_cast<std::size_t>(rules.perMatrix)));
        kept.insert(kept.end(), indices.begin(), indices.end());
    }
    std::sort(kept.begin(), kept.end());
    std::vector<RatedSample> result;
    result.reserve(kept.size());
    for (const auto index : kept)
        result.push_back(samples[index]);
    return result;
}

} // namespace sparserl
