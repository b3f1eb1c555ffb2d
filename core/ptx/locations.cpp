// SPDX-License-Identifier: Apache-2.0
#include "ptx/locations.h"

#include <fmt/format.h>

namespace sparserl::ptx {

Status Locations::read(TokenReader& reader)
{
    auto position = [&]() -> Result<Position> {
        Position result;
        for (std::int64_t* part : {&result.file, &result.line, &result.column}) {
            SPARSERL_TRY(*part, reader.integer("a position"));
        }
        return result;
    };
    SPARSERL_TRY(const Position at, position());
    m_current = {at, std::nullopt};
    while (reader.accept(",")) {
        SPARSERL_TRY(const auto name, reader.word("an attribute of .loc"));
        if (name == "function_name") {
            reader.next();
            if (reader.accept("+"))
                reader.next();
        } else if (name == "inlined_at") {
            SPARSERL_TRY(const Position outer, position());
            m_current.inlinedAt = outer;
            m_inlined[at.key()] = outer;
        } else {
            return reader.error(fmt::format("'{}' is not an attribute of .loc", name));
        }
    }
    return {};
}

int Locations::programLine(const Module& module, std::string_view programFile, const Location& location) const
{
    auto inProgram = [&](std::int64_t file) {
        if (file < 0 || file >= static_cast<std::int64_t>(module.files.size()))
            return false;
        const std::string_view name = module.files[file];
        return name == programFile || (name.size() > programFile.size() && name.ends_with(programFile) &&
                                       name[name.size() - programFile.size() - 1] == '/');
    };
    Position at = location.at;
    std::optional<Position> outer = location.inlinedAt;
    for (int hop = 0; hop < 64; ++hop) {
        if (inProgram(at.file))
            return static_cast<int>(at.line);
        if (!outer)
            return 0;
        at = *outer;
        const auto found = m_inlined.find(at.key());
        outer = found == m_inlined.end() ? std::nullopt : std::optional(found->second);
    }
    return 0;
}

void Locations::assign(Module& module, std::string_view programFile) const
{
    int last = 0;
    std::size_t lastFunction = 0;
    for (const Placed& placed : m_placed) {
        if (placed.function != lastFunction)
            last = 0;
        lastFunction = placed.function;
        if (const int line = programLine(module, programFile, placed.location))
            last = line;
        module.functions[placed.function].instructions[placed.instruction].line = last;
    }
}

} // namespace sparserl::ptx
