// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <map>
#include <optional>
#include <tuple>

namespace sparserl::ptx {

/// Maps each instruction to its program line, using .file and .loc directives. The lines are known only after
/// the last .file directive, at the end of the text.
class Locations
{
public:
    /// Reads the text after ".loc". The location applies to the instructions that follow.
    Status read(TokenReader& reader);
    /// Starts a function body, in which no .loc applies yet.
    void startBody() { m_current = {}; }
    /// Records the current location for an instruction. The arguments are indices into Module::functions and
    /// Function::instructions.
    void place(std::size_t function, std::size_t instruction)
    {
        m_placed.push_back({function, instruction, m_current});
    }
    /// Sets the lines of all instructions. Inlined code gets the line of its innermost call site in
    /// `programFile`; an instruction without a line gets the line of the previous instruction.
    void assign(Module& module, std::string_view programFile) const;

private:
    struct Position
    {
        std::int64_t file = 0, line = 0, column = 0;
        auto key() const { return std::make_tuple(file, line, column); }
    };
    struct Location
    {
        Position at;
        std::optional<Position> inlinedAt;
    };
    struct Placed
    {
        std::size_t function, instruction;
        Location location;
    };

    int programLine(const Module& module, std::string_view programFile, const Location& location) const;

    Location m_current;
    std::vector<Placed> m_placed;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Position> m_inlined;
};

} // namespace sparserl::ptx
