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

    /// "--NAME=VALUE" for each: a value is nothing but a value, also where it looks like an option. Values
    /// come from the user's typing and from files of others.
    static QStringList options(const std::initializer_list<std::pair<const char*, QString>>& values);

    /// For a project that the user does not trust nothing is started: it ends with the sentence that says so.
    void start(const std::filesystem::path& project, const QStringList& arguments);
    void cancel();
    bool cancelled() const { return m_cancelled; } ///< The last one, by cancel().
    bool running() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    /// Each as it comes.
    void lineCame(const nlohmann::json& line);
    /// Exactly once per start. `problem` is empty where the command succeeded, else a sentence.
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
