// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/widgets/fixture_project.h"
#include "widgets/common/settings.h"
#include "widgets/kernels/compared_program.h"

#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QDialog;

namespace sparserl::test {

/// The dialogs of the window, each as a page would open it on a project.
class EveryDialog
{
public:
    /// One of them: tests that look at all dialogs have it from list().
    struct Maker
    {
        const char* name;
        std::function<QDialog*()> make;
        /// What the page does once the user has agreed; nothing where the dialog does it itself.
        std::function<Status(QDialog&)> agree = {};
    };

    /// Opens the project that makeProject() made, or changed since, in a session.
    Status open(const std::filesystem::path& project, const QString& settingsFile);
    const std::vector<Maker>& list() const { return m_dialogs; }
    ProjectSession* session() const { return m_session.get(); }
    void close() { m_session.reset(); }
    const std::string& digest() const { return m_digest; } ///< Of one matrix of the project.

private:
    void fillList();
    const std::filesystem::path& path() const { return m_path; }

    std::filesystem::path m_path;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<Settings> m_settings;
    std::vector<CandidateRow> m_rows;
    ComparedProgram m_program;
    std::vector<CheckpointRow> m_checkpoints;
    RunSummary m_run;
    RunConfig m_config;
    std::string m_digest;
    std::vector<Maker> m_dialogs;
};

} // namespace sparserl::test
