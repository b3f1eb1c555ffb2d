// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparserl {

/// The tokens of a C++ text as hashes; comments, white space and the contents of strings do not count.
std::vector<std::uint64_t> tokenHashes(std::string_view text);

/// Finds texts that are nearly the same as one before: by MinHash signatures over runs of five tokens,
/// compared where one of 32 bands of four values agrees (Broder 1997; Leskovec et al., Mining of Massive
/// Datasets 3.4). Pairs that share 0.8 of their runs are compared with a probability above 0.9999; the share
/// is estimated from 128 values, to about 0.035.
class AlikeTexts
{
public:
    explicit AlikeTexts(double share)
        : m_share(share)
    {
    }
    /// The number of a text from before that this one is nearly the same as; else the text is remembered.
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
