// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"
#include "base/trimmed.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sparserl {

namespace {

/// What NVRTC calls the text of every program.
constexpr std::string_view programFile = "//## File \"program.cu\", line ";
constexpr std::string_view encodingMark = "/* 0x";

int numberAt(std::string_view text)
{
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number > 0 ? number : 0;
}

/// A line of the disassembler. An encoding has two: the lower half stands behind the instruction, the upper
/// one on the line below, which is no line of its own here.
struct Line
{
    std::string_view text;
    std::optional<std::uint64_t> upper;
};

std::vector<Line> linesOf(std::string_view disassembly)
{
    std::vector<Line> lines;
    while (!disassembly.empty()) {
        const auto end = std::min(disassembly.find('\n'), disassembly.size());
        std::string_view line = trimmed(disassembly.substr(0, end));
        disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
        if (line.starts_with(encodingMark) && !lines.empty()) {
            const std::string_view digits = line.substr(encodingMark.size());
            std::uint64_t upper = 0;
            const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), upper, 16);
            if (read.ec == std::errc{})
                lines.back().upper = upper;
            continue;
        }
        if (const auto encoding = line.rfind(encodingMark); encoding != std::string_view::npos)
            line = trimmed(line.substr(0, encoding));
        lines.push_back({line, {}});
    }
    return lines;
}

/// "/*0010*/ S2R R0, SR_CTAID.X ;" without the blanks behind the address; labels as they are.
std::string plainLine(std::string_view line)
{
    const auto end = line.find("*/");
    if (!line.starts_with("/*") || end == std::string_view::npos)
        return std::string(line);
    const std::string_view instruction = trimmed(line.substr(end + 2));
    // What is not predicated stands behind the place of a predicate, so that names are in one column.
    constexpr std::string_view place = "     ";
    std::string text = "  " + std::string(line.substr(0, end + 2)) + "  ";
    if (!instruction.starts_with('@'))
        return text.append(place).append(instruction);
    const auto blank = instruction.find(' ');
    const std::string_view predicate = instruction.substr(0, blank);
    text.append(predicate);
    text.append(predicate.size() < place.size() ? place.size() - predicate.size() : 1, ' ');
    if (blank != std::string_view::npos)
        text.append(trimmed(instruction.substr(blank)));
    return text;
}

bool isPadding(std::string_view line)
{
    const auto end = line.find("*/");
    return line.starts_with("/*") && end != std::string_view::npos &&
           trimmed(line.substr(end + 2)).starts_with("NOP");
}

/// Directives, rules between sections and the section's own label say nothing about a kernel.
bool isNoise(std::string_view line)
{
    return line.empty() || line.starts_with("//") || line.starts_with(".text.") ||
           (line.starts_with('.') && !line.ends_with(':'));
}

/// Puts a listing together, line by line, and looks at the control codes of each kernel when it ends.
class Lister
{
public:
    void add(const Line& line)
    {
        if (line.text.starts_with(programFile))
            m_line = numberAt(line.text.substr(programFile.size()));
        else if (line.text.starts_with("//---")) // another section
            endKernel();
        else if (isNoise(line.text))
            return;
        else if (isPadding(line.text)) // dropped unless something follows
            m_padding.push_back(line);
        else if (!line.text.starts_with(".L_") || m_padding.empty()) // the label of a kernel's end
            take(line);
    }

    SassListing finish()
    {
        endKernel();
        if (m_listing.controlsUnknown)
            std::fill(m_listing.controls.begin(), m_listing.controls.end(), std::nullopt);
        return std::move(m_listing);
    }

private:
    void take(const Line& line)
    {
        for (const Line& skipped : std::exchange(m_padding, {}))
            append(skipped, m_line);
        const bool label = line.text.ends_with(':');
        if (label && !line.text.starts_with('.')) {
            endKernel();
            if (!m_listing.text.empty())
                append({}, 0);
        }
        append(line, label ? 0 : m_line);
    }

    void append(const Line& line, int number)
    {
        const std::string text = plainLine(line.text);
        m_listing.text += text + "\n";
        m_listing.lines.push_back(number);
        m_listing.controls.emplace_back();
        if (!line.upper)
            return;
        m_listing.controls.back() = decodeControl(*line.upper);
        m_kernel.push_back({text, *m_listing.controls.back()});
    }

    void endKernel()
    {
        m_line = 0;
        m_padding.clear();
        if (!plausibleControls(std::exchange(m_kernel, {})))
            m_listing.controlsUnknown = true;
    }

    SassListing m_listing;
    int m_line = 0; ///< Of the program.
    std::vector<Line> m_padding;
    std::vector<ControlledInstruction> m_kernel;
};

} // namespace

SassListing readSass(std::string_view disassembly)
{
    Lister lister;
    for (const Line& line : linesOf(disassembly))
        lister.add(line);
    return lister.finish();
}

std::string_view sassName(std::string_view line)
{
    line = trimmed(line);
    const auto address = line.find("*/");
    if (!line.starts_with("/*") || address == std::string_view::npos)
        return {};
    line = trimmed(line.substr(address + 2));
    if (line.starts_with('@'))
        line = trimmed(line.substr(std::min(line.find(' '), line.size())));
    return line.substr(0, line.find_first_of(" ;"));
}

} // namespace sparserl
