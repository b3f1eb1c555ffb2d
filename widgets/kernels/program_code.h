// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/kernels/code_listing.h"
#include "widgets/kernels/command_job.h"

#include <QTemporaryDir>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Which line of the program each line of its PTX comes from (from 1; 0: none), by .file and .loc. What is
/// inlined from a header counts for the line that calls it.
std::vector<int> programLines(const std::string& ptx);

/// What a program was compiled and assembled into.
struct CompiledCode
{
    CodeListing ptx, sass;
    QString options;      ///< What NVRTC was called with.
    QString architecture; ///< Whose SASS it is, or whose there is not.
    QString sassProblem;  ///< Why there is no SASS; empty also where it was not asked for.
};

/// PTX and SASS of programs, made in a child process and kept while the window lives.
class ProgramCode : public QObject
{
    Q_OBJECT

public:
    explicit ProgramCode(QObject* parent);
    /// `ready` or `failed` comes for each program of which something is not known yet, one after the other.
    void ask(ProjectSession* session, const std::string& hash, const std::string& text, bool withSass);
    /// Whose SASS is asked for from now on; what is known of another one stays until then.
    void setArchitecture(const QString& architecture);
    const QString& architecture() const { return m_architecture; }
    /// What is not being compiled yet is not wanted any more.
    void forgetWaiting();
    /// Why there was no SASS does not count any more: it may be asked for again.
    void retry(const std::string& hash);
    /// Null: not known. SASS may still be missing.
    const CompiledCode* known(const std::string& hash) const;

Q_SIGNALS:
    void ready(const std::string& hash);
    void failed(const std::string& hash, const QString& sentence);

private:
    struct Wanted
    {
        std::string hash, text;
        bool sass = false;
        QString architecture;
    };
    bool has(const std::string& hash, bool withSass) const;
    CompiledCode read(const nlohmann::json& line) const;
    void ended(const std::vector<nlohmann::json>& lines, const QString& problem);
    void next();

    ProjectSession* m_session = nullptr;
    QString m_architecture = QStringLiteral("sm_90");
    std::vector<Wanted> m_wanted; ///< The first is being compiled.
    std::map<std::string, CompiledCode> m_known;
    std::shared_ptr<QTemporaryDir> m_directory;
    JobTracker m_jobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
