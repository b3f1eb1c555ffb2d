// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "widgets/common/format.h"

#include <QHash>
#include <QSet>
#include <QStringList>
#include <functional>

namespace sparserl {

/// Records current problems by their source, so that each message can be removed when its cause is gone.
class ProblemBook
{
public:
    /// `gone` receives the message of a problem that no longer occurs.
    explicit ProblemBook(std::function<void(const QString& sentence)> gone)
        : m_gone(std::move(gone))
    {
    }

    /// Records the result of the repeated operation `what`. An empty sentence means success.
    void note(quintptr what, const QString& sentence);
    template <typename T>
    void note(const void* what, const Result<T>& result)
    {
        if (!result || !m_failing.isEmpty())
            note(reinterpret_cast<quintptr>(what), result ? QString() : sentenceOf(result.error()));
    }
    /// Records all problems found in one inspection. A problem found twice in a row is a state and disappears
    /// when it is no longer found. A problem found once may be an event, which cannot be undone.
    void look(const QStringList& sentences);

private:
    std::function<void(const QString&)> m_gone;
    QHash<quintptr, QString> m_failing;
    QSet<QString> m_seen, m_lasting; ///< m_seen: problems in the last inspection; m_lasting: problems found
                                     ///< at least twice in a row.
};

} // namespace sparserl
