// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/command_job.h"

#include "base/json.h"
#include "base/trust.h"
#include "project/run/launch.h"
#include "widgets/common/format.h"

namespace sparserl {

CommandJob::CommandJob(QObject* parent)
    : QObject(parent)
{
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] { readOutput(false); });
    connect(&m_process, &QProcess::readyReadStandardError, this,
            [this] { m_errors = QByteArray(m_errors + m_process.readAllStandardError()).right(4096); });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(tr("%1 could not be started: %2.").arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        readOutput(true);
        if (m_cancelled)
            end(tr("Cancelled."));
        else if (status == QProcess::CrashExit)
            end(tr("The command crashed. Its last message: %1").arg(QString::fromUtf8(m_errors).trimmed()));
        else if (code != 0)
            end(!m_told.isEmpty() ? m_told
                                  : tr("The command failed with status %1: %2")
                                        .arg(code)
                                        .arg(QString::fromUtf8(m_errors).trimmed()));
        else
            end({});
    });
}

CommandJob::~CommandJob()
{
    m_process.disconnect(this);
    if (running()) {
        m_process.kill();
        m_process.waitForFinished(1000);
    }
}

QStringList CommandJob::options(const std::initializer_list<std::pair<const char*, QString>>& values)
{
    QStringList words;
    for (const auto& [name, value] : values)
        words.append(QStringLiteral("--%1=").arg(QLatin1String(name)) + value);
    return words;
}

void CommandJob::start(const std::filesystem::path& project, const QStringList& arguments)
{
    Q_ASSERT(!running());
    m_buffer.clear();
    m_errors.clear();
    m_lines.clear();
    m_told.clear();
    m_ended = false;
    m_cancelled = false;
    if (const auto trusted = requireTrust(project); !trusted) {
        end(sentenceOf(trusted.error()));
        return;
    }
    const auto binary = findSparserlBinary();
    if (!binary) {
        end(sentenceOf(binary.error()));
        return;
    }
    for (const QString& word : arguments)
        if (word.contains(QChar(QChar::Null))) { // a program gets what stands before it
            end(tr("An entry contains a NUL character, which cannot be passed to a program. Remove it."));
            return;
        }
    m_process.start(toQString(binary->string()), QStringList(arguments) << QStringLiteral("--json"));
}

void CommandJob::cancel()
{
    m_cancelled = true;
    m_process.terminate();
}

void CommandJob::readOutput(bool rest)
{
    m_buffer += m_process.readAllStandardOutput();
    if (rest && !m_buffer.isEmpty())
        m_buffer += '\n';
    for (qsizetype end = m_buffer.indexOf('\n'); end >= 0; end = m_buffer.indexOf('\n')) {
        const std::string line = m_buffer.left(end).toStdString();
        m_buffer.remove(0, end + 1);
        auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_discarded() || !json.is_object())
            continue;
        if (const auto error = json.find("error"); error != json.end() && error->is_object()) {
            Error e;
            e.what = jsonValue(*error, "what", std::string());
            e.remedy = jsonValue(*error, "remedy", std::string());
            e.file = jsonValue(*error, "file", std::string());
            e.line = jsonValue(*error, "line", 0);
            m_told = sentenceOf(e);
        }
        Q_EMIT lineCame(json);
        m_lines.push_back(std::move(json));
    }
}

void CommandJob::end(const QString& problem)
{
    if (std::exchange(m_ended, true))
        return;
    Q_EMIT finished(m_lines, problem);
}

} // namespace sparserl
