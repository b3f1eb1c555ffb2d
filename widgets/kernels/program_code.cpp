// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/program_code.h"

#include "base/files.h"
#include "base/json.h"
#include "base/line_diff.h"
#include "widgets/common/format.h"

#include <QRegularExpression>
#include <algorithm>

namespace sparserl {

namespace {

CodeHelps helpsOf(const nlohmann::json& line, const char* key)
{
    CodeHelps helps;
    const auto found = line.find(key);
    if (found == line.end() || !found->is_object())
        return helps;
    const auto text = [](const nlohmann::json& help, const char* part) {
        return toQString(jsonValue<std::string>(help, part, {}));
    };
    for (const auto& [name, help] : found->items())
        helps[toQString(name)] = {text(help, "operands"), text(help, "sentence"), text(help, "modifiers"),
                                  text(help, "cost")};
    return helps;
}

} // namespace

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

ProgramCode::ProgramCode(QObject* parent)
    : QObject(parent)
{
    connect(&m_command, &CommandJob::finished, this, &ProgramCode::ended);
}

CompiledCode ProgramCode::read(const nlohmann::json& line) const
{
    CompiledCode code;
    const auto ptx = jsonValue<std::string>(line, "ptx", {});
    code.ptx = {CodeKind::Ptx, toQString(ptx), programLines(ptx), {}, {}, helpsOf(line, "ptx_help")};
    code.sass.kind = CodeKind::Sass;
    code.sass.text = toQString(jsonValue<std::string>(line, "sass", {}));
    code.sass.lines = jsonValue<std::vector<int>>(line, "sass_lines", {});
    for (const std::string& control : jsonValue<std::vector<std::string>>(line, "sass_control", {}))
        code.sass.controls.append(toQString(control));
    if (line.contains("sass_control_problem"))
        code.sass.controlProblem = tr("control codes unknown");
    code.sass.help = helpsOf(line, "sass_help");
    code.architecture = toQString(jsonValue<std::string>(line, "architecture", {}));
    code.sassProblem = toQString(jsonValue<std::string>(line, "sass_problem", {}));
    QStringList words;
    for (const std::string& word : jsonValue<std::vector<std::string>>(line, "nvrtc_options", {}))
        words.append(toQString(word));
    code.options = words.join(QLatin1Char(' '));
    return code;
}

void ProgramCode::ended(const std::vector<nlohmann::json>& lines, const QString& problem)
{
    const Wanted done = std::move(m_wanted.front());
    m_wanted.erase(m_wanted.begin());
    m_directory.reset();
    CompiledCode code;
    for (const nlohmann::json& line : lines)
        if (line.contains("ptx"))
            code = read(line);
    if (code.ptx.text.isEmpty()) {
        Q_EMIT failed(done.hash, problem.isEmpty() ? tr("The compiler returned no PTX.") : problem);
    } else {
        if (done.sass && code.sass.text.isEmpty() && code.sassProblem.isEmpty())
            code.sassProblem = tr("The disassembler returned nothing.");
        m_known[done.hash] = std::move(code);
        Q_EMIT ready(done.hash);
    }
    next();
}

void ProgramCode::setArchitecture(const QString& architecture)
{
    m_architecture = architecture;
    forgetWaiting(); // what was asked for in passing, while a list was gone through by keys
}

void ProgramCode::forgetWaiting()
{
    if (m_wanted.size() > 1)
        m_wanted.erase(m_wanted.begin() + 1, m_wanted.end());
}

void ProgramCode::retry(const std::string& hash)
{
    if (const auto found = m_known.find(hash); found != m_known.end())
        found->second.sassProblem.clear();
}

const CompiledCode* ProgramCode::known(const std::string& hash) const
{
    const auto found = m_known.find(hash);
    return found != m_known.end() ? &found->second : nullptr;
}

bool ProgramCode::has(const std::string& hash, bool withSass) const
{
    const CompiledCode* code = known(hash);
    return code && (!withSass || (code->architecture == m_architecture &&
                                  (!code->sass.text.isEmpty() || !code->sassProblem.isEmpty())));
}

void ProgramCode::ask(ProjectSession* session, const std::string& hash, const std::string& text,
                      bool withSass)
{
    m_session = session;
    const bool asked = std::any_of(m_wanted.begin(), m_wanted.end(), [&](const Wanted& wanted) {
        return wanted.hash == hash && (!withSass || (wanted.sass && wanted.architecture == m_architecture));
    });
    if (asked || has(hash, withSass))
        return;
    m_wanted.push_back({hash, text, withSass, m_architecture});
    if (m_wanted.size() == 1)
        next();
}

void ProgramCode::next()
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
            QStringList arguments{QStringLiteral("compile"), file->path, QStringLiteral("--explain")};
            if (m_wanted.front().sass)
                arguments << QStringLiteral("--sass") << QStringLiteral("--control")
                          << CommandJob::options({{"arch", m_wanted.front().architecture}});
            m_command.start(m_session->path(), arguments);
        });
}

} // namespace sparserl
