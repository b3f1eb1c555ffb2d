// SPDX-License-Identifier: Apache-2.0
#include "operator/import/yml_task.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/trimmed.h"
#include "operator/graph/shown_name.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largestFile = 1u << 20;
constexpr std::size_t mostItems = 1000, mostFiles = 32, mostFoldersUp = 2;

/// Returns a map in braces as JSON, or nullopt if it cannot be read. Accepts Python's True, False and None.
std::optional<nlohmann::json> flowMap(std::string_view text)
{
    struct Word
    {
        std::string_view python, json;
    };
    constexpr std::array words{Word{"True", "true"}, Word{"False", "false"}, Word{"None", "null"}};
    std::string json;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"') {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            json += text.substr(i, end + 1 - i);
            i = end + 1;
            continue;
        }
        const auto* const word = std::ranges::find_if(
            words, [&](const Word& one) { return text.substr(i).starts_with(one.python); });
        if (word != words.end()) {
            json += word->json;
            i += word->python.size();
            continue;
        }
        if (c == '#')
            break; // A comment follows the map.
        json += c;
        ++i;
    }
    auto parsed = parseJson(json);
    if (!parsed || !parsed->is_object())
        return std::nullopt;
    return std::move(*parsed);
}

/// Returns the name of the module in a file: "utils" for "utils.py". Returns nullopt if the file cannot be a
/// module of Python, or if its name is too long.
std::optional<std::string> moduleName(const std::string& file)
{
    if (!file.ends_with(".py") || file.size() > 64)
        return std::nullopt;
    std::string name = file.substr(0, file.size() - 3);
    const bool plain = std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    return plain && !name.empty() ? std::optional(std::move(name)) : std::nullopt;
}

Status takeFile(YmlTask& task, const nlohmann::json& item, const std::string& file, int line)
{
    const auto name = jsonValue<std::string>(item, "name", ""),
               source = jsonValue<std::string>(item, "source", "");
    // Skips the submission, which has no file yet, the program that runs it, and files in other languages.
    if (source.starts_with('@') || name == "submission.py" || name == "eval.py" ||
        fs::path(source).extension() != ".py")
        return {};
    const auto module = moduleName(name);
    if (!module)
        return failAt(file, line, "this is no name of a Python file: " + shownName(name));
    const fs::path path = fs::path(source).lexically_normal();
    const auto up = std::ranges::count(path, fs::path(".."));
    if (path.is_absolute() || static_cast<std::size_t>(up) > mostFoldersUp)
        return failAt(file, line, "files of a task lie at most two folders above it: " + shownName(source));
    if (task.sources.size() == mostFiles)
        return failAt(file, line, "the task has too many files");
    task.sources[*module] = path.string();
    return {};
}

} // namespace

bool isYmlTask(const fs::path& file)
{
    return file.filename() == "task.yml" || file.filename() == "task.yaml";
}

Result<YmlTask> parseYmlTask(std::string_view text, const std::string& file)
{
    YmlTask task;
    std::string section;
    int number = 0;
    std::istringstream lines{std::string(text)};
    for (std::string one; std::getline(lines, one);) {
        ++number;
        const std::string_view line = one, rest = trimmed(line);
        if (rest.empty() || rest.front() == '#')
            continue;
        if (line.front() != ' ' && line.front() != '\t' && line.front() != '-') {
            section = line.substr(0, line.find(':'));
            continue;
        }
        const bool files = section == "files", tests = section == "tests",
                   benchmarks = section == "benchmarks";
        if (!files && !tests && !benchmarks)
            continue;
        const std::string_view item = rest.starts_with('-') ? trimmed(rest.substr(1)) : std::string_view();
        const auto map = item.starts_with('{') ? flowMap(item) : std::nullopt;
        if (!map)
            return failAt(file, number,
                          "an item of \"" + section +
                              "\" must be a map in braces on one line, as GPU MODE writes it");
        if (task.tests.size() + task.benchmarks.size() >= mostItems)
            return failAt(file, number, "the task has too many tests");
        if (tests)
            task.tests.push_back(*map);
        else if (benchmarks)
            task.benchmarks.push_back(*map);
        else
            SPARSERL_CHECK(takeFile(task, *map, file, number));
    }
    if (!task.sources.contains("reference"))
        return failAt(file, 0, "the task names no reference.py in \"files\"");
    if (task.tests.empty())
        return failAt(file, 0, "the task has no \"tests\"");
    return task;
}

Result<TaskSource> readYmlTask(const fs::path& file)
{
    SPARSERL_TRY(const auto text, readFile(file, largestFile));
    SPARSERL_TRY(const auto task, parseYmlTask(text, file.string()));
    TaskSource source;
    const fs::path folder = fs::absolute(file).parent_path();
    source.name = folder.filename().string();
    for (const auto& [module, path] : task.sources) {
        SPARSERL_TRY(source.modules[module], readFile(folder / path, largestFile));
    }
    source.text = source.modules.at("reference");
    source.cases = task.tests;
    if (!task.benchmarks.empty())
        source.full = task.benchmarks.back();
    return source;
}

} // namespace sparserl
