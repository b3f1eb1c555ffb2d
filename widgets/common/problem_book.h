// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "widgets/common/format.h"

#include <QHash>
#include <QSet>
#include <QStringList>
#include <functional>

namespace sparserl {

/// What goes wrong just now, by what it goes wrong with, so that a sentence about it can go with its cause.
class ProblemBook
{
public:
    /// `gone` is told the sentence of what went wrong and goes well again.
    explicit ProblemBook(std::function<void(const QString& sentence)> gone)
        : m_gone(std::move(gone))
    {
    }

    /// How `what`, which is done again and again, went this time. Empty: well.
    void note(quintptr what, const QString& sentence);
    template <typename T>
    void note(const void* what, const Result<T>& result)
    {
        if (!result || !m_failing.isEmpty())
            note(reinterpret_cast<quintptr>(what), result ? QString() : sentenceOf(result.error()));
    }
    /// All that was found wrong in one look. What was found twice in a row is a state, and is gone when it is
    /// not found any more; what was found once may be an event, which nothing undoes.
    void look(const QStringList& sentences);

private:
    std::function<void(const QString&)> m_gone;
    QHash<quintptr, QString> m_failing;
    QSet<QString> m_seen, m_lasting; ///< Of the last look; of those before.
};

} // namespace sparserl
