// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/problem_book.h"

namespace sparserl {

void ProblemBook::note(quintptr what, const QString& sentence)
{
    if (!sentence.isEmpty()) {
        m_failing[what] = sentence;
        return;
    }
    const QString was = m_failing.take(what);
    // Others may fail for the same reason.
    if (!was.isEmpty() && !m_failing.values().contains(was))
        m_gone(was);
}

void ProblemBook::look(const QStringList& sentences)
{
    const QSet<QString> now(sentences.begin(), sentences.end());
    const QSet<QString> lasting = m_lasting;
    for (const QString& sentence : lasting)
        if (!now.contains(sentence)) {
            m_lasting.remove(sentence);
            m_gone(sentence);
        }
    for (const QString& sentence : now)
        if (m_seen.contains(sentence))
            m_lasting.insert(sentence);
    m_seen = now;
}

} // namespace sparserl
