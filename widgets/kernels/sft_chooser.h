// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// Adds programs to the project's SFT set and removes them. Each change is one step of the session's undo
/// stack.
class SftChooser : public QObject
{
    Q_OBJECT

public:
    explicit SftChooser(QObject* parent);
    void setSession(ProjectSession* session);
    /// Adds the programs that are correct and for training matrices. If all of them are already in the set,
    /// removes them.
    void toggle(const std::vector<CandidateId>& candidates);
    bool busy() const { return m_jobs.running(); }

Q_SIGNALS:
    /// Reports the result, or why nothing was done.
    void told(const QString& sentence);
    void problem(const QString& sentence);

private:
    struct Found
    {
        std::vector<CandidateRow> rows;
        std::map<std::string, std::string> texts; ///< Texts of the programs that may be added, by hash.
    };
    void apply(const Found& found);

    ProjectSession* m_session = nullptr;
    JobTracker m_jobs{this};
};

} // namespace sparserl
