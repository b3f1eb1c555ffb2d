// SPDX-License-Identifier: Apache-2.0
// What an import reads from strangers: the answer of the process that records a task, and a task.yml.
#include "fuzz.h"
#include "operator/graph/task_tensors.h"
#include "operator/import/task_folder.h"
#include "operator/import/yml_task.h"

#include <filesystem>

namespace {

using namespace sparserl;

void checkAnswer(std::string_view said, const std::string& cut)
{
    auto task = readImported(said, cut);
    if (!task)
        return fuzz::checkError(task.error());
    FUZZ_CHECK(!task->sizes.empty() && !(task->full && !task->noFull.empty()));
    FUZZ_CHECK(!task->full || task->full->graph.size == "full");
    for (const ImportedSize& size : task->sizes) {
        // Each has a name of its own, as each becomes a file.
        FUZZ_CHECK(size.graph.size != "full" && size.graph.size != "task");
        FUZZ_CHECK(sizeRecord(size.graph).digest.size() == 64);
    }
}

void checkYml(std::string_view text)
{
    const auto task = parseYmlTask(text, "task.yml");
    if (!task)
        return fuzz::checkError(task.error());
    FUZZ_CHECK(task->sources.contains("reference") && !task->tests.empty());
    for (const auto& [module, path] : task->sources) {
        FUZZ_CHECK(!module.empty() && module.find_first_of("/.") == std::string::npos);
        const std::filesystem::path file(path);
        FUZZ_CHECK(file.is_relative() && file.extension() == ".py");
        FUZZ_CHECK(!path.starts_with("../../.."));
    }
    for (const auto& one : task->tests)
        FUZZ_CHECK(one.is_object());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    checkYml(text);
    checkAnswer(text, {});
    checkAnswer(text, "it was ended");
    return 0;
}
