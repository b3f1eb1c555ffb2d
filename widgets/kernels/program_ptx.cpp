// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/program_ptx.h"

#include "base/files.h"
#include "base/line_diff.h"
#include "widgets/common/format.h"

#include <QRegularExpression>
#include <algorithm>

namespace sparserl {

std::vector<int> programLines(const std::string& ptx)
{
    static const QRegularExpression file(QStringLiteral("^\\s*\\.file\\s+(\\d+)\\s+\"([^\"]*)\""));
    static const QRegularExpression loc(
        QStringLiteral("^\\s*\\.loc\\s+(\\d+)\\s+(\\d+)\\s+\\d+(?:.*inlined_at\\s+(\\d+)\\s+(\\d+))?"));
    const std::vector<std::string> texts = splitLines(ptx);
    QString program; // the number of "program.cu"; files are named behind their first use
    for (const std::string& text : texts)
        if (const auto match = file.match(toQString(text));
            match.hasMatch() && match.captured(2).endsWith(QLatin1String("program.cu")))
            program = match.captured(1);
    std::vector<int> lines;
    int current = 0;
    for (const std::string& text : texts) {
        const QString line = toQString(text);
        if (const auto match = loc.match(line); match.hasMatch()) {
            if (match.captured(1) == program)
                current = match.captured(2).toInt();
            else if (match.captured(3) == program)
                current = match.captured(4).toInt();
            lines.push_back(current);
            continue;
        }
        if (line.startsWith(QLatin1Char('}')))
            current = 0;
        lines.push_back(current);
    }
    return lines;
}

ProgramPtx::ProgramPtx(QObject* parent)
    : QObject(parent)
{
    connect(&m_command, &CommandJob::finished, this,
            [this](const std::vector<nlohmann::json>& lines, const QString& problem) {
                const Wanted done = std::move(m_wanted.front());
                m_wanted.erase(m_wanted.begin());
                m_directory.reset();
                std::string ptx;
                for (const nlohmann::json& line : lines)
                    if (const auto text = line.find("ptx"); text != line.end() && text->is_string()) {
                        ptx = text->get_ref<const std::string&>();
                        QStringList words;
                        if (const auto list = line.find("nvrtc_options");
                            list != line.end() && list->is_array())
                            for (const auto& word : *list)
                                if (word.is_string())
                                    words.append(toQString(word.get_ref<const std::string&>()));
                        m_options[QByteArray::fromStdString(done.hash)] = words.join(QLatin1Char(' '));
                    }
                if (!ptx.empty()) {
                    m_known[QByteArray::fromStdString(done.hash)] = QByteArray::fromStdString(ptx);
                    Q_EMIT ready(done.hash);
                } else {
                    Q_EMIT failed(done.hash, problem.isEmpty() ? tr("The compiler gave no PTX.") : problem);
                }
                next();
            });
}

std::string ProgramPtx::known(const std::string& hash) const
{
    return m_known.value(QByteArray::fromStdString(hash)).toStdString();
}

QString ProgramPtx::options(const std::string& hash) const
{
    return m_options.value(QByteArray::fromStdString(hash));
}

void ProgramPtx::ask(ProjectSession* session, const std::string& hash, const std::string& text)
{
    m_session = session;
    const bool asked = std::any_of(m_wanted.begin(), m_wanted.end(),
                                   [&](const Wanted& wanted) { return wanted.hash == hash; });
    if (asked || !known(hash).empty())
        return;
    m_wanted.push_back({hash, text});
    if (m_wanted.size() == 1)
        next();
}

void ProgramPtx::next()
{
    if (m_wanted.empty())
        return;
    struct File
    {
        std::shared_ptr<QTemporaryDir> directory;
        QString path;
    };
    m_session->look<File>(
        m_jobs,
        [text = m_wanted.front().text](const std::filesystem::path&) -> Result<File> {
            File file{std::make_shared<QTemporaryDir>(), {}};
            file.path = file.directory->filePath(QStringLiteral("program.cu"));
            SPARSERL_CHECK(writeFileAtomic(file.path.toStdString(), text));
            return file;
        },
        [this](Result<File> file) {
            if (!file) {
                const std::string hash = m_wanted.front().hash;
                m_wanted.clear();
                Q_EMIT failed(hash, sentenceOf(file.error()));
                return;
            }
            m_directory = file->directory;
            m_command.start({QStringLiteral("compile"), file->path});
        });
}

} // namespace sparserl
