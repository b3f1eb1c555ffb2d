// SPDX-License-Identifier: Apache-2.0
#include "base/weight_limit.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/json.h"

#include <algorithm>

namespace sparserl {

Result<std::optional<std::uint64_t>> mostWeightBytes(const std::filesystem::path& folder)
{
    const auto file = folder / "config.json";
    SPARSERL_TRY(const auto look, lookAt(file));
    if (!look.regular || look.bytes > controlFileLimit)
        return std::nullopt;
    SPARSERL_TRY(const auto text, readControlFile(file));
    const auto config = parseJson(text);
    if (!config || !config->is_object())
        return std::nullopt;
    const auto number = [&](const char* key, double otherwise) {
        const auto value = jsonValue<std::int64_t>(*config, key, -1);
        return value < 0 ? otherwise : static_cast<double>(value);
    };
    const double width = number("d_model", 0), vocabulary = number("vocab_size", 0);
    if (width <= 0 || vocabulary <= 0)
        return std::nullopt;
    const double heads = number("num_heads", 8), layers = number("num_layers", 6),
                 inner = heads * number("d_kv", 64);
    // T5 (arXiv:1910.10683): attention has four matrices, twice in a decoder's layer; a gated feed-forward
    // part has three. What the matrix embedding and a value head add is a few matrices of this width.
    const double perLayer = 4 * width * inner + 3 * width * number("d_ff", 4 * width) + 8 * width;
    const double weights = 2 * vocabulary * width +
                           (layers + 2 * number("num_decoder_layers", layers)) * perLayer +
                           2 * heads * number("relative_attention_num_buckets", 32) + 16 * width * width;
    constexpr double mostPerWeight = 8, rest = 256e6; // float64; tables of the embedding, and the header
    return static_cast<std::uint64_t>(std::min(mostPerWeight * weights + rest, 1e18));
}

} // namespace sparserl
