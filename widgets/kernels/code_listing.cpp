// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/code_listing.h"

#include "base/line_diff.h"
#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/translate.h"

#include <QRegularExpression>

namespace sparserl {

namespace {

/// ".ftz: …; .f32: …" as a list: what is told apart by "; " begins with a dot.
QStringList modifiersOf(const CodeHelp& help)
{
    return help.modifiers.isEmpty() ? QStringList() : help.modifiers.split(QStringLiteral("; ."));
}

} // namespace

QString kindName(CodeKind kind)
{
    return kind == CodeKind::Ptx ? tr("PTX") : kind == CodeKind::Sass ? tr("SASS") : tr("Source");
}

InstructionPlace instructionOn(const QString& line)
{
    // An address in SASS, a brace in PTX, a predicate; then a name that begins with a letter.
    static const QRegularExpression pattern(QStringLiteral(
        "^\\s*(?:/\\*[0-9a-f]+\\*/)?[\\s{]*(@!?%?\\w+\\s+)?([A-Za-z](?:[\\w.]|::)*)(?=[\\s;]|$)"));
    const auto match = pattern.match(line);
    if (!match.hasMatch())
        return {};
    InstructionPlace place{match.captured(2), static_cast<int>(match.capturedStart(2)), 0};
    if (match.capturedStart(1) >= 0)
        place.begin = static_cast<int>(match.capturedStart(1));
    const auto end = line.indexOf(QLatin1Char(';'), match.capturedEnd(2));
    place.end = static_cast<int>(end < 0 ? line.size() : end);
    return place;
}

QString helpTip(const QString& name, const CodeHelp& help)
{
    QStringList lines{QStringLiteral("%1 %2").arg(name, help.operands).trimmed(), help.sentence};
    for (const QString& modifier : modifiersOf(help))
        lines.append(modifier.startsWith(QLatin1Char('.')) ? modifier : QLatin1Char('.') + modifier);
    if (!help.cost.isEmpty())
        lines.append(help.cost + QLatin1Char('.'));
    return wrappedTip(lines.join(QLatin1Char('\n')));
}

QString helpText(const QString& name, const CodeHelp& help)
{
    QStringList parts{help.operands.isEmpty() ? name + QLatin1Char('.')
                                              : QStringLiteral("%1 %2.").arg(name, help.operands),
                      help.sentence};
    for (const QString& part : {help.modifiers, help.cost})
        if (!part.isEmpty())
            parts.append(part + QLatin1Char('.'));
    return parts.join(QLatin1Char(' '));
}

std::vector<std::string> comparedLines(const QString& text, CodeKind kind)
{
    std::vector<std::string> lines = splitLines(text.toStdString());
    if (kind == CodeKind::Program)
        return lines;
    static const QRegularExpression address(QStringLiteral("^\\s*/\\*[0-9a-f]+\\*/"));
    static const QRegularExpression label(QStringLiteral("(\\.L_x?_?|\\$L_\\w*?)\\d+(?:_\\d+)?\\b"));
    static const QRegularExpression place(QStringLiteral("^\\s*\\.loc\\s.*"));
    for (std::string& line : lines) {
        QString compared = toQString(line);
        if (kind == CodeKind::Sass)
            compared.remove(address);
        else
            compared.replace(place, QStringLiteral(".loc"));
        line = compared.replace(label, QStringLiteral("label")).toStdString();
    }
    return lines;
}

} // namespace sparserl
