// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// What a view of code shows.
enum class CodeKind
{
    Program, ///< Plan lines and CUDA C++.
    Ptx,
    Sass
};
QString kindName(CodeKind kind); ///< "PTX"

/// What people are told of an instruction.
struct CodeHelp
{
    QString operands, sentence, modifiers, cost;
};
using CodeHelps = std::map<QString, CodeHelp>; ///< By the instruction's name: "LDG.E.CONSTANT".

/// What a program was made into.
struct CodeListing
{
    CodeKind kind = CodeKind::Ptx;
    QString text;
    std::vector<int> lines; ///< Which line of the program (from 1; 0: none) each of its lines comes from.
    QStringList controls;   ///< Of SASS: what each line tells the scheduler; may be empty.
    QString controlProblem; ///< Why that is not known; empty: it is.
    CodeHelps help;
};

/// Where the name of the instruction on a line of PTX or SASS stands; an empty name: there is none.
struct InstructionPlace
{
    QString name;
    int begin = 0, end = 0; ///< Of the whole instruction with its operands, in characters of the line.
};
InstructionPlace instructionOn(const QString& line);

/// Help as a tool tip shows it, and as it is read aloud.
QString helpTip(const QString& name, const CodeHelp& help);
QString helpText(const QString& name, const CodeHelp& help);

/// Lines as two texts of a kind are compared: without what differs behind any change, such as the addresses
/// of instructions, numbers of labels and lines of the program.
std::vector<std::string> comparedLines(const QString& text, CodeKind kind);

/// Part of a line, in bytes of its UTF-8.
struct LineSpan
{
    int begin = 0, end = 0;
    bool operator==(const LineSpan&) const = default;
};

/// Where two lines that stand for each other differ, by words; neighbours that differ are one part, with the
/// space between them. Nothing where they have too little in common: all of them differs.
struct WithinLine
{
    std::vector<LineSpan> left, right;
};
WithinLine differencesWithin(const std::string& left, const std::string& right, CodeKind kind);

} // namespace sparserl
