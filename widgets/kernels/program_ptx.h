// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"

#include <QHash>
#include <QTemporaryDir>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Which line of the program each line of its PTX comes from (from 1; 0: none), by .file and .loc. What is
/// inlined from a header counts for the line that calls it.
std::vector<int> programLines(const std::string& ptx);

/// PTX of programs, compiled in a child process and kept while the window lives.
class ProgramPtx : public QObject
{
    Q_OBJECT

public:
    explicit ProgramPtx(QObject* parent);
    /// `ready` or `failed` comes for each program that is not known yet, one after the other.
    void ask(ProjectSession* session, const std::string& hash, const std::string& text);
    /// Empty: not known.
    std::string known(const std::string& hash) const;
    /// What the compiler was called with; empty: not known.
    QString options(const std::string& hash) const;

Q_SIGNALS:
    void ready(const std::string& hash);
    void failed(const std::string& hash, const QString& sentence);

private:
    struct Wanted
    {
        std::string hash, text;
    };
    void next();

    ProjectSession* m_session = nullptr;
    std::vector<Wanted> m_wanted; ///< The first is being compiled.
    QHash<QByteArray, QByteArray> m_known;
    QHash<QByteArray, QString> m_options;
    std::shared_ptr<QTemporaryDir> m_directory;
    JobTracker m_jobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
