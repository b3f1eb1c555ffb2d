// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// Adds programs to the project's SFT set and removes them; each time is a step of the session's undo.
class SftChooser : public QObject
{
    Q_OBJECT

public:
    explicit SftChooser(QObject* parent);
    void setSession(ProjectSession* session);
    /// Adds the suitable programs: correct ones, for training matrices. If all are already in the set,
    /// removes them.
    void toggle(const std::vector<CandidateId>& candidates);
    bool busy() const { return m_jobs.running(); }

Q_SIGNALS:
    /// The result, or why nothing was done.
    void told(const QString& sentence);
    void problem(const QString& sentence);

private:
    struct Found
    {
        std::vector<CandidateRow> rows;
        std::map<std::string, std::string> texts; ///< By hash, of those that may join.
    };
    void apply(const Found& found);

    ProjectSession* m_session = nullptr;
    JobTracker m_jobs{this};
};

} // namespace sparserl
