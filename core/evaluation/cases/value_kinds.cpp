// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_kinds.h"

#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace sparserl {

namespace {

double magnitude(Rng& rng)
{
    return plainMagnitude(rng.next());
}

double plain(Rng& rng)
{
    return rng.next() & 1 ? -magnitude(rng) : magnitude(rng);
}

/// What draws one value after another.
std::function<double()> drawing(ValueKind kind, Rng& rng)
{
    switch (kind) {
    case ValueKind::Random:
        break;
    case ValueKind::Ones:
        return [] { return 1.0; };
    case ValueKind::Constant:
        return [value = plain(rng)] { return value; };
    case ValueKind::SmallIntegers:
        return [&rng] {
            const auto value = static_cast<double>(rng.between(1, 9));
            return rng.next() & 1 ? -value : value;
        };
    case ValueKind::Positive:
        return [&rng] { return magnitude(rng); };
    case ValueKind::FewDistinct: {
        std::vector<double> values;
        for (std::int64_t i = rng.between(2, 6); i > 0; --i)
            values.push_back(4 * plain(rng));
        return [values, &rng] { return values[rng.below(values.size())]; };
    }
    case ValueKind::Decaying:
        return [&rng] { return plain(rng) * std::exp2(rng.uniform(-33, 0)); };
    case ValueKind::TwoSizes:
        return [&rng] { return plain(rng) * (rng.next() & 1 ? 1.0 : 1e-9); };
    case ValueKind::Tiny:
        return [&rng, about = static_cast<double>(rng.between(-140, -80))] {
            return plain(rng) * std::exp2(about + rng.uniform(0, 4));
        };
    case ValueKind::Large:
        return [&rng, about = static_cast<double>(rng.between(60, 123))] {
            return plain(rng) * std::exp2(about + rng.uniform(0, 4));
        };
    }
    return [&rng] { return plain(rng); };
}

} // namespace

std::string_view nameOf(ValueKind kind)
{
    constexpr std::array<std::string_view, valueKindCount> names{
        "random",       "ones",     "constant",  "small integers", "positive",
        "few distinct", "decaying", "two sizes", "tiny",           "large"};
    return names[static_cast<std::size_t>(kind)];
}

Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng)
{
    Csr matrix = pattern;
    const auto draw = drawing(kind, rng);
    for (float& value : matrix.val)
        value = static_cast<float>(draw());
    return matrix;
}

Csr withDrawnValues(const Csr& pattern, Rng& rng)
{
    return withValues(pattern, static_cast<ValueKind>(rng.below(valueKindCount)), rng);
}

Csr withChangedValues(const Csr& matrix, Rng& rng)
{
    Csr out = matrix;
    const auto count = static_cast<std::uint64_t>(matrix.nnz());
    if (count == 0)
        return out;
    const bool known = rng.next() & 1; // Values that the matrix has.
    for (std::uint64_t left = std::min(count, 4 + rng.below(12 + count / 1000)); left > 0; --left) {
        float& value = out.val[rng.below(count)];
        bool done = false;
        for (int tries = 0; known && !done && tries < 8; ++tries) {
            float& other = out.val[rng.below(count)];
            done = std::abs(other) != std::abs(value);
            if (done)
                std::swap(value, other);
        }
        if (!done)
            value = value == 0 ? 1.0f : value * (rng.next() & 1 ? -1.0f : 0.5f);
    }
    return out;
}

} // namespace sparserl
