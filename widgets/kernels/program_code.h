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

/// The program line (from 1; 0: none) of each PTX line, from .file and .loc. Inlined header code counts for
/// the calling line.
std::vector<int> programLines(const std::string& ptx);

/// The compiled and assembled code of a program.
struct CompiledCode
{
    CodeListing ptx, sass;
    QString options;      ///< NVRTC options.
    QString architecture; ///< Architecture of the SASS, or of its failure.
    QString sassProblem;  ///< Why there is no SASS; also empty if it was not requested.
};

/// PTX and SASS of programs, generated in a child process and cached for the window's lifetime.
class ProgramCode : public QObject
{
    Q_OBJECT

public:
    explicit ProgramCode(QObject* parent);
    /// Requests code. `ready` or `failed` is emitted for each program whose code is missing, in the order of
    /// the requests.
    void ask(ProjectSession* session, const std::string& hash, const std::string& text, bool withSass);
    /// Sets the SASS architecture for later requests; code of another one is kept until then.
    void setArchitecture(const QString& architecture);
    const QString& architecture() const { return m_architecture; }
    /// Drops waiting requests.
    void forgetWaiting();
    /// Clears a SASS failure, so that SASS can be requested again.
    void retry(const std::string& hash);
    /// The code of the program, or null if it is not known yet. SASS may still be missing.
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
    std::vector<Wanted> m_wanted; ///< The first one is being compiled.
    std::map<std::string, CompiledCode> m_known;
    std::shared_ptr<QTemporaryDir> m_directory;
    JobTracker m_jobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
