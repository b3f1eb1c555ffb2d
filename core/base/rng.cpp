// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include "base/hash.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

std::uint64_t splitMix64(std::uint64_t& state)
{
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

Rng::Rng(std::uint64_t seed)
    : m_seed(seed)
{
    std::uint64_t state = seed;
    for (auto& word : m_state) {
        word = splitMix64(state);
    }
}

std::uint64_t Rng::next()
{
    auto& s = m_state;
    const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

double Rng::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1p-53;
}

std::uint64_t Rng::below(std::uint64_t n)
{
    // Lemire 2019: multiply-shift, rejecting the few values that would make some results likelier.
    __extension__ using Wide = unsigned __int128;
    if (n <= 1) {
        return 0;
    }
    Wide product = static_cast<Wide>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (static_cast<std::uint64_t>(product) < threshold) {
            product = static_cast<Wide>(next()) * n;
        }
    }
    return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high)
{
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t step = span == 0 ? next() : below(span);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
}

namespace {

/// ln(x) for x in (0, 1] by exact scaling and the atanh series: only + - * /, so equal on every IEEE machine.
double portableLog(double x)
{
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1);
    const double s2 = s * s;
    double sum = 0;
    for (int k = 25; k >= 1; k -= 2) {
        sum = sum * s2 + 1.0 / k;
    }
    return 2 * s * sum + exponent * 0.69314718055994530942;
}

} // namespace

double Rng::normal()
{
    for (;;) {
        const double u = 2 * uniform() - 1;
        const double v = 2 * uniform() - 1;
        const double r = u * u + v * v;
        if (r > 0 && r < 1) {
            return u * std::sqrt(-2 * portableLog(r) / r);
        }
    }
}

std::size_t Rng::pick(std::span<const double> weights)
{
    double total = 0;
    for (const double weight : weights) {
        total += weight;
    }
    double left = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0) {
            continue;
        }
        last = i;
        left -= weights[i];
        if (left < 0) {
            return i;
        }
    }
    return last; // Rounding left a crumb: the last one that can be picked.
}

Rng Rng::derive(std::uint64_t stream) const
{
    std::uint64_t state = m_seed ^ 0x6a09e667f3bcc909ull;
    std::uint64_t mixed = splitMix64(state);
    state = mixed ^ (stream * 0xd1342543de82ef95ull + 0x2545f4914f6cdd1dull);
    mixed = splitMix64(state);
    return Rng(mixed ^ splitMix64(state));
}

Rng Rng::derive(std::string_view stream) const
{
    return derive(seedFrom(stream));
}

std::string Rng::save() const
{
    return fmt::format("xoshiro256ss-{:016x}-{:016x}-{:016x}-{:016x}-{:016x}", m_seed, m_state[0], m_state[1],
                       m_state[2], m_state[3]);
}

Result<Rng> Rng::load(std::string_view text)
{
    constexpr std::string_view prefix = "xoshiro256ss";
    const auto bad = [] { return fail("this is not the saved state of a random generator"); };
    if (text.size() != prefix.size() + 5 * 17 || !text.starts_with(prefix)) {
        return bad();
    }
    std::array<std::uint64_t, 5> words{};
    for (std::size_t i = 0; i < 5; ++i) {
        const char* at = text.data() + prefix.size() + 17 * i;
        const auto [end, error] = std::from_chars(at + 1, at + 17, words[i], 16);
        if (*at != '-' || error != std::errc() || end != at + 17) {
            return bad();
        }
    }
    Rng rng(words[0]);
    rng.m_state = {words[1], words[2], words[3], words[4]};
    return rng;
}

} // namespace sparserl
