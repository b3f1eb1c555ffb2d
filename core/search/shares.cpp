// SPDX-License-Identifier: Apache-2.0
#include "search/shares.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sparserl {

Result<std::map<std::string, double>> parseShares(const std::string& text, bool policy)
{
    constexpr const char* remedy = "write shares such as grid=0.3,edits=0.7";
    std::map<std::string, double> shares;
    double sum = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, end - at);
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const bool ofPolicy = name == "policy" || name == "refine";
        if (ofPolicy && !policy)
            return fail("the search has no policy that could have a share", "name one with --policy");
        if (name != "grid" && name != "edits" && !ofPolicy)
            return fail(fmt::format("\"{}\" is not a source of programs", name), remedy);
        double share = -1;
        const char* const last = word.data() + word.size();
        const char* const first = equals == std::string::npos ? last : word.data() + equals + 1;
        const auto [rest, error] = std::from_chars(first, last, share);
        if (error != std::errc{} || rest != last || !(share >= 0 && share <= 1))
            return fail(fmt::format("the share in \"{}\" is not a number from 0 to 1", word), remedy);
        shares[name] = share;
        sum += share;
        at = end + 1;
    }
    // Whether a policy refines is not known here: the others decide.
    const std::size_t always = shares.size() - shares.count("refine");
    if (sum > 1.0001 || (always == (policy ? 3U : 2U) && sum == 0))
        return fail(fmt::format("the shares add up to {}", sum), remedy);
    return shares;
}

} // namespace sparserl
