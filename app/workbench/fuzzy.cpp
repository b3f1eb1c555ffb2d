// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/fuzzy.h"

#include <QStringList>
#include <algorithm>

namespace sparserl {

namespace {

bool beginsWord(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

std::optional<int> scoreOfWord(const QString& word, const QString& text)
{
    constexpr int together = 40, atBegin = 20, scattered = 10;
    std::optional<int> best;
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
        best = std::max(best.value_or(0), together + (beginsWord(text, at) ? atBegin : 0));
    if (best)
        return best;
    // Letters in order; each that begins a word counts for it.
    int score = scattered;
    qsizetype at = -1;
    for (const QChar letter : word) {
        const qsizetype next = text.indexOf(letter, at + 1);
        if (next < 0)
            return std::nullopt;
        score += beginsWord(text, next) ? 3 : next == at + 1 ? 2 : 0;
        at = next;
    }
    return score;
}

} // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& text)
{
    const QString lower = text.toLower();
    int score = 0;
    const QStringList words = typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words) {
        const auto one = scoreOfWord(word, lower);
        if (!one)
            return std::nullopt;
        score += *one;
    }
    return score;
}

} // namespace sparserl
