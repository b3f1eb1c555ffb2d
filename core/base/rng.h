// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

/// One step of SplitMix64: advances `state` and returns a mixed number.
std::uint64_t splitMix64(std::uint64_t& state);

/// Deterministic random numbers: xoshiro256** seeded by SplitMix64 (Blackman and Vigna 2018). The same seed
/// yields the same numbers on every platform, including `normal`, which uses its own logarithm.
class Rng
{
public:
    explicit Rng(std::uint64_t seed = 0);

    std::uint64_t next();
    /// Uniform in [0, 1), with 53 random bits.
    double uniform();
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Uniform in [0, n), without bias; n >= 1.
    std::uint64_t below(std::uint64_t n);
    /// Uniform in [low, high], inclusive.
    std::int64_t between(std::int64_t low, std::int64_t high);
    bool chance(double probability) { return uniform() < probability; }
    /// Standard normal (Marsaglia's polar method).
    double normal();
    /// A random index with probability proportional to its weight (>= 0, not all zero).
    std::size_t pick(std::span<const double> weights);

    template <typename Container>
    void shuffle(Container& values)
    {
        for (std::size_t i = values.size(); i > 1; --i) {
            using std::swap;
            swap(values[i - 1], values[below(i)]);
        }
    }

    /// Returns an independent generator for a named or numbered purpose. It depends only on this generator's
    /// seed, not on how many numbers were drawn.
    Rng derive(std::uint64_t stream) const;
    Rng derive(std::string_view stream) const;
    std::uint64_t seed() const { return m_seed; }

    /// Returns the state as text, from which load() restores this generator exactly.
    std::string save() const;
    static Result<Rng> load(std::string_view text);

    // Interface for standard algorithms. Their results differ between libraries; prefer the members.
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }
    result_type operator()() { return next(); }

    bool operator==(const Rng&) const = default;

private:
    std::uint64_t m_seed = 0;
    std::array<std::uint64_t, 4> m_state{};
};

} // namespace sparserl
