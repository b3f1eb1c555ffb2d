// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// The contents of a code view.
enum class CodeKind
{
    Program, ///< Plan lines and CUDA C++.
    Ptx,
    Sass
};
QString kindName(CodeKind kind); ///< "PTX"

/// Help for an instruction.
struct CodeHelp
{
    QString operands, sentence, modifiers, cost;
};
using CodeHelps = std::map<QString, CodeHelp>; ///< By the instruction's name: "LDG.E.CONSTANT".

/// The output of a compilation stage.
struct CodeListing
{
    CodeKind kind = CodeKind::Ptx;
    QString text;
    std::vector<int> lines; ///< The program line (from 1; 0: none) of each line.
    QStringList controls;   ///< For SASS: scheduling information per line; may be empty.
    QString controlProblem; ///< Why the scheduling information is unknown, or empty.
    CodeHelps help;
};

/// Position of the instruction's name in a line of PTX or SASS; an empty name: none.
struct InstructionPlace
{
    QString name;
    int begin = 0, end = 0; ///< The whole instruction with operands, in characters of the line.
};
InstructionPlace instructionOn(const QString& line);

/// Help as tool tip text, and as read aloud.
QString helpTip(const QString& name, const CodeHelp& help);
QString helpText(const QString& name, const CodeHelp& help);

/// The lines of a text in the form in which they are compared: without parts that any change affects, such as
/// instruction addresses, label numbers and program lines.
std::vector<std::string> comparedLines(const QString& text, CodeKind kind);

/// Part of a line, in UTF-8 bytes.
struct LineSpan
{
    int begin = 0, end = 0;
    bool operator==(const LineSpan&) const = default;
};

/// The words that differ between two corresponding lines. Adjacent differences form one part, including the
/// space between them. Empty if the lines have so little in common that they differ as a whole.
struct WithinLine
{
    std::vector<LineSpan> left, right;
};
WithinLine differencesWithin(const std::string& left, const std::string& right, CodeKind kind);

} // namespace sparserl
