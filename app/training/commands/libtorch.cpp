// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "base/files.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

/// Path of the file that is mapped into this process under `name`; empty where there is none.
std::string loadedLibrary(std::string_view name)
{
    const auto maps = readFile("/proc/self/maps", 64 << 20);
    const std::size_t at = maps ? maps->find("/" + std::string(name)) : std::string::npos;
    if (at == std::string::npos)
        return {};
    const std::size_t line = maps->rfind('\n', at) + 1; // 0 where it is the first
    const std::size_t begin = maps->find('/', line);
    return maps->substr(begin, maps->find('\n', at) - begin);
}

} // namespace

/// What `sparserl doctor` and the window ask; that this program starts at all is half of the answer.
Body add_libtorch(CLI::App& app, Context& context)
{
    app.add_subcommand("libtorch", "Print the path of the LibTorch that this program has loaded.");
    return [&context]() -> int {
        const std::string path = loadedLibrary("libtorch_cpu.so");
        if (path.empty())
            return context.error({"LibTorch is a part of this program, not a library of its own", {}, 0, {}});
        context.emit({{"libtorch", path}});
        if (!context.json)
            context.print(path);
        return Done;
    };
}

} // namespace sparserl::cli
