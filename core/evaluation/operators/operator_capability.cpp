// SPDX-License-Identifier: Apache-2.0
#include "evaluation/operators/operator_capability.h"

#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "evaluation/runners/find_runner.h"
#include "operator/import/task_import.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// The version of the PyTorch that a Python finds, without loading it; empty: there is none.
std::string torchVersionOf(const fs::path& python)
{
    constexpr double patience = 20;
    SpawnOptions options;
    options.argv = {python.string(), "-I", "-c",
                    "import importlib.util, os\n"
                    "found = importlib.util.find_spec('torch')\n"
                    "names = {}\n"
                    "exec(open(os.path.join(os.path.dirname(found.origin), 'version.py')).read(), names)\n"
                    "print(names['__version__'])"};
    const auto said = runToEnd(options, {}, patience);
    if (!said || !said->status.ok())
        return {};
    constexpr std::size_t most = 60;
    return shortened(printableLine(said->output.substr(0, said->output.find('\n'))), most);
}

} // namespace

Capability operatorCapability(const fs::path& runner)
{
    using Level = Capability::Level;
    Capability c{"operators", "Operator tasks", Level::Ok, {}, {}, {}};
    const auto found = findRunner(runner);
    const fs::path oracle = found ? found->parent_path() / "sparserl-oracle" : fs::path();
    if (!found || ::access(oracle.c_str(), X_OK) != 0) {
        c.level = Level::Missing;
        c.sentence = "sparserl-oracle is missing, so graphs of operator tasks cannot be run.";
        c.remedy = "Build the target sparserl-oracle (SPARSERL_WITH_TORCH=ON), or reinstall the package.";
        return c;
    }
    c.detail = oracle.string();
    const char* const install =
        "Install it (Debian: `apt install python3-torch`), or name another Python with "
        "SPARSERL_PYTHON. Nothing else needs it.";
    const auto python = findImportPython();
    if (!python) {
        c.level = Level::Note;
        c.sentence = fmt::format("Graphs run here, but no task can be imported: {}.", python.error().what);
        c.remedy = install;
        return c;
    }
    const std::string version = torchVersionOf(python->program),
                      name = printableLine(python->program.string());
    if (version.empty()) {
        c.level = Level::Note;
        c.sentence = fmt::format("Graphs run here, but no task can be imported: {} has no PyTorch.", name);
        c.remedy = install;
        return c;
    }
    c.sentence = fmt::format("Graphs run here, and {} imports tasks with PyTorch {}.", name, version);
    return c;
}

} // namespace sparserl
