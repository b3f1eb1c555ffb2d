// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace sparserl {

/// Runs `sparserl ARGUMENTS --json` as a child process and collects its JSON Lines. Never blocks the window.
class CommandJob : public QObject
{
    Q_OBJECT

public:
    explicit CommandJob(QObject* parent);
    ~CommandJob() override;

    /// Returns "--NAME=VALUE" for each pair, so that a value is never read as an option. Values may come from
    /// user input and foreign files.
    static QStringList options(const std::initializer_list<std::pair<const char*, QString>>& values);

    /// Starts the command. For an untrusted project, starts nothing and finishes with an explanation.
    void start(const std::filesystem::path& project, const QStringList& arguments);
    void cancel();
    bool cancelled() const { return m_cancelled; } ///< Whether the last run ended through cancel().
    bool running() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    /// Emitted for each line as it arrives.
    void lineCame(const nlohmann::json& line);
    /// Emitted exactly once per start. `problem` is empty on success, otherwise a sentence.
    void finished(const std::vector<nlohmann::json>& lines, const QString& problem);

private:
    void readOutput(bool rest);
    void end(const QString& problem);

    QProcess m_process;
    QByteArray m_buffer, m_errors;
    std::vector<nlohmann::json> m_lines;
    QString m_told;
    bool m_ended = true, m_cancelled = false;
};

} // namespace sparserl
