// SPDX-License-Identifier: Apache-2.0
#include "compile/header_changes.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

/// How the variable of giveTilesMemory ends in PTX.
constexpr std::string_view variable = "reserved_shared_ptrEvE3own";

void giveTilesMemory(std::string& header)
{
    const std::size_t function = header.find("reserved_shared_ptr()");
    const std::size_t open = header.find('{', function);
    if (function == std::string::npos || open == std::string::npos)
        return;
    std::size_t end = open;
    for (int depth = 0; end < header.size(); ++end) {
        depth += header[end] == '{' ? 1 : header[end] == '}' ? -1 : 0;
        if (depth == 0)
            break;
    }
    if (end < header.size())
        header.replace(open, end + 1 - open, "{ __shared__ unsigned long long own[36]; return own; }");
}

} // namespace

void changeHeader(std::string_view name, std::string& text)
{
    if (name == "cooperative_groups/details/memory.h")
        giveTilesMemory(text);
}

std::string clearTileBarriers(std::string ptx)
{
    // ".shared .align 8 .b8 NAME[288];", before all functions or in the only kernel that needs it.
    constexpr std::string_view type = ".b8 ";
    const std::size_t end = ptx.find(std::string(variable) + "[288];");
    if (end == std::string::npos)
        return ptx;
    const std::size_t before = ptx.rfind(type, end), semicolon = ptx.find(';', end);
    if (before == std::string::npos || semicolon == std::string::npos)
        return ptx;
    const std::size_t begin = before + type.size();
    const std::string name = ptx.substr(begin, end + variable.size() - begin);
    // One word for each size of tiles.
    std::string code = "\n{\n.reg .pred first;\n.reg .b32 thread, part, barriers;\nmov.u32 thread, %tid.x;\n"
                       "mov.u32 part, %tid.y;\nor.b32 thread, thread, part;\nmov.u32 part, %tid.z;\n"
                       "or.b32 thread, thread, part;\nsetp.eq.u32 first, thread, 0;\n";
    code += fmt::format("mov.u32 barriers, {};\n", name);
    for (int size = 0; size < 5; ++size)
        code += fmt::format("@first st.shared.u32 [barriers+{}], 0;\n", 4 * size);
    code += "bar.sync 0;\n}\n";
    constexpr std::string_view entry = ".entry ";
    if (ptx.rfind(entry, begin) != std::string::npos || ptx.rfind(".func ", begin) != std::string::npos)
        return ptx.insert(semicolon + 1, code);
    for (std::size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
        const std::size_t open = ptx.find('{', at);
        if (open == std::string::npos)
            break;
        ptx.insert(open + 1, code);
        at = open + code.size();
    }
    return ptx;
}

} // namespace sparserl
