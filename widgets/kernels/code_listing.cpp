// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/code_listing.h"

#include "base/line_diff.h"
#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/translate.h"

#include <QRegularExpression>
#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace sparserl {

namespace {

/// ".ftz: …; .f32: …" as a list: what is told apart by "; " begins with a dot.
QStringList modifiersOf(const CodeHelp& help)
{
    return help.modifiers.isEmpty() ? QStringList() : help.modifiers.split(QStringLiteral("; ."));
}

struct Word
{
    std::string compared; ///< Without what differs behind any change.
    LineSpan place;
};

bool isWordByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80; // a letter of many bytes stays whole
}

/// Words, runs of spaces, and every other character by itself.
std::vector<Word> wordsOf(const std::string& line, CodeKind kind)
{
    std::vector<Word> words;
    std::size_t at = 0;
    const auto take = [&](std::size_t end, std::string compared) {
        words.push_back({std::move(compared), {static_cast<int>(at), static_cast<int>(end)}});
        at = end;
    };
    // The address of an instruction.
    if (const auto begin = line.find("/*"), end = line.find("*/");
        kind == CodeKind::Sass && begin != std::string::npos && end != std::string::npos && begin < end)
        take(end + 2, "address");
    while (at < line.size()) {
        const auto label = {std::string_view(".L_x_"), std::string_view("$L__BB")};
        const auto names = [&](std::string_view prefix) {
            return line.compare(at, prefix.size(), prefix) == 0;
        };
        std::size_t end = at + 1;
        if (kind != CodeKind::Program && std::any_of(label.begin(), label.end(), names)) {
            while (end < line.size() && isWordByte(line[end]))
                ++end;
            take(end, "label");
        } else if (isWordByte(line[at])) {
            while (end < line.size() && isWordByte(line[end]))
                ++end;
            take(end, line.substr(at, end - at));
        } else if (line[at] == ' ' || line[at] == '\t') {
            while (end < line.size() && (line[end] == ' ' || line[end] == '\t'))
                ++end;
            take(end, " ");
        } else {
            take(end, line.substr(at, 1));
        }
    }
    return words;
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

WithinLine differencesWithin(const std::string& left, const std::string& right, CodeKind kind)
{
    const std::vector<Word> words[] = {wordsOf(left, kind), wordsOf(right, kind)};
    std::vector<std::string> compared[2];
    std::size_t said[2] = {0, 0}; // words that are no space
    for (std::size_t side = 0; side < 2; ++side)
        for (const Word& word : words[side]) {
            compared[side].push_back(word.compared);
            said[side] += word.compared != " ";
        }
    std::vector<LineDifference> differences = diffLines(compared[0], compared[1]);
    // Two that only a space parts are one: "a b" for "c d".
    for (std::size_t i = 1; i < differences.size();) {
        LineDifference &before = differences[i - 1], &next = differences[i];
        if (next.leftBegin - before.leftEnd == 1 &&
            compared[0][static_cast<std::size_t>(before.leftEnd)] == " ") {
            before.leftEnd = next.leftEnd;
            before.rightEnd = next.rightEnd;
            differences.erase(differences.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            ++i;
        }
    }
    std::size_t changed[2] = {0, 0};
    WithinLine within;
    const auto mark = [&](std::size_t side, int begin, int end, std::vector<LineSpan>& spans) {
        for (int i = begin; i < end; ++i)
            changed[side] += compared[side][static_cast<std::size_t>(i)] != " ";
        if (begin < end)
            spans.push_back({words[side][static_cast<std::size_t>(begin)].place.begin,
                             words[side][static_cast<std::size_t>(end) - 1].place.end});
    };
    for (const LineDifference& d : differences) {
        mark(0, d.leftBegin, d.leftEnd, within.left);
        mark(1, d.rightBegin, d.rightEnd, within.right);
    }
    constexpr double leastCommon = 0.3; // of the words of the line that has more
    const double most = static_cast<double>(std::max({said[0], said[1], std::size_t{1}}));
    const auto common = static_cast<double>(std::min(said[0] - changed[0], said[1] - changed[1]));
    return common < leastCommon * most ? WithinLine() : within;
}

} // namespace sparserl
