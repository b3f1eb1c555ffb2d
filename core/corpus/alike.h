// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparserl {

/// Returns the hashes of the tokens of a C++ text. Ignores comments, white space and the contents of strings.
std::vector<std::uint64_t> tokenHashes(std::string_view text);

/// Finds texts that are nearly identical to an earlier one, by MinHash signatures over sequences of five
/// tokens. Two texts are compared if they agree in at least one of 32 bands of four values (Broder 1997;
/// Leskovec et al., Mining of Massive Datasets 3.4). Pairs that share 0.8 of their sequences are compared
/// with a probability above 0.9999. The share is estimated from 128 values, with an error of about 0.035.
class AlikeTexts
{
public:
    explicit AlikeTexts(double share)
        : m_share(share)
    {
    }
    /// Returns the number of an earlier text that is nearly identical to this one. If there is no such text,
    /// stores this one and returns nullopt.
    std::optional<std::size_t> add(std::string_view text);

private:
    static constexpr std::size_t valueCount = 128, bandRows = 4;
    using Signature = std::array<std::uint32_t, valueCount>;
    static Signature signatureOf(std::string_view text);

    double m_share;
    std::vector<Signature> m_signatures;
    std::unordered_multimap<std::uint64_t, std::size_t> m_bands;
};

} // namespace sparserl
