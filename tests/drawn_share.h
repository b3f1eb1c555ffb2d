// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "base/secret.h"

#include <QtGlobal>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

// Tests of very many cases that are alike, of which each run of the suite tries a few: others every time.
namespace sparserl::test {

/// A share of many things, drawn by their names. $SPARSERL_TEST_SHARE is one in so many, "1" all, as before
/// an issue is resolved (CONTRIBUTING.md); $SPARSERL_TEST_DRAW repeats a draw that a test has printed.
class DrawnShare
{
public:
    explicit DrawnShare(std::uint64_t oneIn)
        : m_oneIn(numberOf("SPARSERL_TEST_SHARE", oneIn))
        , m_draw(numberOf("SPARSERL_TEST_DRAW", drawSecret() >> 32 | 1))
    {
        if (m_oneIn > 1)
            qInfo("one in %llu is drawn; the same again: SPARSERL_TEST_SHARE=%llu SPARSERL_TEST_DRAW=%llu",
                  static_cast<unsigned long long>(m_oneIn), static_cast<unsigned long long>(m_oneIn),
                  static_cast<unsigned long long>(m_draw));
    }

    /// A share that is so many times as large, of the same draw: all of this one is in it.
    DrawnShare wider(std::uint64_t times) const
    {
        DrawnShare share = *this;
        share.m_oneIn = std::max<std::uint64_t>(1, m_oneIn / times);
        return share;
    }
    bool everything() const { return m_oneIn <= 1; }
    /// Of each class, the member that this draw prefers: a small share with these still meets every class.
    /// Pairs of class and name.
    template <typename Pairs>
    std::set<std::string> oneOfEach(const Pairs& members) const
    {
        std::map<std::string, std::pair<std::uint64_t, std::string>> best;
        for (const auto& [kind, name] : members) {
            std::pair<std::uint64_t, std::string> one(Rng(m_draw).derive(name).next(), name);
            const auto [place, isNew] = best.emplace(kind, one);
            if (!isNew)
                place->second = std::min(place->second, one);
        }
        std::set<std::string> names;
        for (const auto& [kind, one] : best)
            names.insert(one.second);
        return names;
    }
    bool has(std::string_view name) const
    {
        return everything() || Rng(m_draw).derive(name).next() <= ~std::uint64_t(0) / m_oneIn;
    }

private:
    static std::uint64_t numberOf(const char* variable, std::uint64_t otherwise)
    {
        const char* text = std::getenv(variable);
        const std::uint64_t number = text ? std::strtoull(text, nullptr, 10) : 0;
        return number > 0 ? number : otherwise;
    }

    std::uint64_t m_oneIn, m_draw;
};

} // namespace sparserl::test
